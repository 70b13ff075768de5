package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The types of an rpm header's values.
const (
	typeInt16 = 3
	typeInt32 = 4
	typeText  = 6
	typeBytes = 7
	typeTexts = 8
	typeI18N  = 9
)

// What a package requires of a version.
const (
	orNewer   = 4 | 8
	ofRPM     = 2 | 8 | 1<<24 // rpm itself, which must know a feature
	exactly   = 8
	isRegular = 0o100000
	isLink    = 0o120000
)

// header is a list of values with numbers, which name them.
type header struct {
	index []int32 // four of each value: its number, type, offset and count
	store bytes.Buffer
}

// add puts a value behind the others, whose numbers are smaller.
func (h *header) add(tag, kind int32, count int, data []byte) {
	for align := map[int32]int{typeInt16: 2, typeInt32: 4}[kind]; align > 0 && h.store.Len()%align != 0; {
		h.store.WriteByte(0)
	}
	h.index = append(h.index, tag, kind, int32(h.store.Len()), int32(count))
	h.store.Write(data)
}

func (h *header) text(tag int32, text string) { h.add(tag, typeText, 1, append([]byte(text), 0)) }

func (h *header) texts(tag int32, texts ...string) {
	h.add(tag, typeTexts, len(texts), []byte(strings.Join(texts, "\x00")+"\x00"))
}

func (h *header) ints(tag int32, values ...int32) {
	h.add(tag, typeInt32, len(values), bigEndian(values))
}

func (h *header) shorts(tag int32, values ...uint16) {
	h.add(tag, typeInt16, len(values), bigEndian(values))
}

// bytes spells the header out. The first value, whose number is given, spans all the others.
func (h *header) bytes(region int32) []byte {
	n := int32(len(h.index)/4 + 1)
	trailer := bigEndian([]int32{region, typeBytes, -16 * n, 16})
	index := append([]int32{region, typeBytes, int32(h.store.Len()), 16}, h.index...)
	start := append([]byte{0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0}, bigEndian([]int32{n, int32(h.store.Len() + 16)})...)
	return slices.Concat(start, bigEndian(index), h.store.Bytes(), trailer)
}

func bigEndian(values any) []byte {
	data, err := binary.Append(nil, binary.BigEndian, values)
	if err != nil {
		panic(err) // a type without a fixed size
	}
	return data
}

func rpmMachine(machine string) string {
	return map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[machine]
}

// rpm is a package for rpm, in its format 4: a lead, a header of sums, a header and a payload.
func (r release) rpm(p program) ([]byte, error) {
	files := r.installed(p, "usr/share/zsh/site-functions")
	payload, size := cpio(files, int32(r.date.Unix()))
	packed := gzipped(payload)
	about := r.rpmHeader(p, files, packed, size).bytes(63)
	rest := slices.Concat(about, packed)
	sum := md5.Sum(rest)
	var sums header
	sums.text(273, fmt.Sprintf("%x", sha256.Sum256(about)))
	sums.ints(1000, int32(len(rest)))
	sums.add(1004, typeBytes, len(sum), sum[:])
	sums.ints(1007, int32(len(payload)))
	signature := sums.bytes(62)
	signature = append(signature, make([]byte, -len(signature)&7)...)
	number := map[string]uint16{"amd64": 1, "arm64": 19}[p.machine]
	if number == 0 {
		return nil, fmt.Errorf("rpm has no name here for %s", p.machine)
	}
	lead := slices.Concat([]byte{0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0}, bigEndian(number), make([]byte, 66), bigEndian([]uint16{1, 5}), make([]byte, 16))
	copy(lead[10:75], "entire-plumb-"+r.packageVersion()+"-1")
	return slices.Concat(lead, signature, rest), nil
}

// rpmHeader says what the package is, what it needs, and what its files are.
func (r release) rpmHeader(p program, files []file, packed []byte, size int32) *header {
	version, h := r.packageVersion(), &header{}
	h.texts(100, "C")
	h.text(1000, "entire-plumb")
	h.text(1001, version)
	h.text(1002, "1")
	h.add(1004, typeI18N, 1, []byte(about+"\x00"))
	h.add(1005, typeI18N, 1, []byte(aboutAtLength+"\x00"))
	h.ints(1006, int32(r.date.Unix()))
	h.ints(1009, size)
	h.text(1014, "MIT")
	h.add(1016, typeI18N, 1, []byte("Development/Tools\x00"))
	h.text(1020, r.home)
	h.text(1021, "linux")
	h.text(1022, rpmMachine(p.machine))
	all := describe(files)
	h.ints(1028, all.sizes...)
	h.shorts(1030, all.modes...)
	h.shorts(1033, make([]uint16, len(files))...)
	h.ints(1034, slices.Repeat([]int32{int32(r.date.Unix())}, len(files))...)
	h.texts(1035, all.sums...)
	h.texts(1036, all.links...)
	h.ints(1037, all.flags...)
	root := slices.Repeat([]string{"root"}, len(files))
	h.texts(1039, root...)
	h.texts(1040, root...)
	h.text(1044, "entire-plumb-"+version+"-1.src.rpm")
	h.ints(1045, slices.Repeat([]int32{-1}, len(files))...)
	h.texts(1047, "entire-plumb")
	h.ints(1048, orNewer, ofRPM, ofRPM, ofRPM, ofRPM)
	h.texts(1049, "git", "rpmlib(CompressedFileNames)", "rpmlib(FileDigests)", "rpmlib(PayloadFilesHavePrefix)", "rpmlib(TildeInVersions)")
	h.texts(1050, leastGit, "3.0.4-1", "4.6.0-1", "4.0-1", "4.10.0-1")
	h.text(1064, "4.18.0")
	h.ints(1095, slices.Repeat([]int32{1}, len(files))...)
	h.ints(1096, all.numbers...)
	h.texts(1097, make([]string, len(files))...)
	h.ints(1112, exactly)
	h.texts(1113, version+"-1")
	h.ints(1116, all.dirs...)
	h.texts(1117, all.names...)
	h.texts(1118, all.dirNames...)
	h.text(1124, "cpio")
	h.text(1125, "gzip")
	h.text(1126, "9")
	h.ints(5011, 8) // the sums of files are SHA-256
	h.texts(5092, fmt.Sprintf("%x", sha256.Sum256(packed)))
	h.ints(5093, 8)
	return h
}

// described are lists with a value for each file, but for dirNames.
type described struct {
	sizes, flags, numbers, dirs  []int32
	modes                        []uint16
	sums, links, names, dirNames []string
}

func describe(files []file) (d described) {
	for i, f := range files {
		dir := "/" + path.Dir(f.name) + "/"
		at := slices.Index(d.dirNames, dir)
		if at < 0 {
			at, d.dirNames = len(d.dirNames), append(d.dirNames, dir)
		}
		sum, flags := fmt.Sprintf("%x", sha256.Sum256(f.data)), int32(0)
		if f.link != "" {
			sum = ""
		}
		if strings.HasPrefix(f.name, "usr/share/doc/") || strings.HasPrefix(f.name, "usr/share/man/") {
			flags = 2 // documentation
		}
		d.sizes, d.flags, d.numbers, d.dirs = append(d.sizes, int32(len(f.content()))), append(d.flags, flags), append(d.numbers, int32(i+1)), append(d.dirs, int32(at))
		d.modes, d.sums, d.links, d.names = append(d.modes, f.unixMode()), append(d.sums, sum), append(d.links, f.link), append(d.names, path.Base(f.name))
	}
	return d
}

// content is what a cpio archive has of a file: of a link, where it leads.
func (f file) content() []byte {
	if f.link != "" {
		return []byte(f.link)
	}
	return f.data
}

func (f file) unixMode() uint16 {
	if f.link != "" {
		return isLink | 0o777
	}
	return isRegular | uint16(f.mode)
}

// cpio is an archive in the format newc, and how many bytes its files have.
func cpio(files []file, date int32) (archive []byte, size int32) {
	var w bytes.Buffer
	entry := func(name string, number int, mode uint16, links int, data []byte) {
		fmt.Fprintf(&w, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", number, mode, 0, 0, links, date, len(data), 0, 0, 0, 0, len(name)+1, 0)
		w.WriteString(name + "\x00")
		w.Write(make([]byte, -w.Len()&3))
		w.Write(data)
		w.Write(make([]byte, -w.Len()&3))
		size += int32(len(data))
	}
	for i, f := range files {
		entry("./"+f.name, i+1, f.unixMode(), 1, f.content())
	}
	date = 0
	entry("TRAILER!!!", 0, 0, 1, nil)
	return w.Bytes(), size
}
