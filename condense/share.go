package condense

import (
	"strconv"

	"entire-plumb/gitexec"
	"entire-plumb/shadow"
)

// Share is one session's part in a checkpoint's commit.
type Share struct {
	Session string
	Agent   int // lines that are its agent's
	Lines   int // of the commit, whoever's; 0: not known
}

// Linking is a commit's link to a checkpoint.
type Linking struct {
	ID     string
	Commit gitexec.Commit
}

// ReadShares reads the sessions' parts in the commits that link checkpoints, in the same order, in two requests for all of them. Of a checkpoint that isn't
// there it is nil, and of one that is damaged there are no parts. What came of a commit that has no version of its own in a checkpoint with several
// costs requests of its own.
func ReadShares(db *gitexec.ODB, b Branch, links []Linking) ([][]Share, error) {
	found, err := readParts(db, b, links)
	if err != nil {
		return nil, err
	}
	shares := make([][]Share, len(links))
	for i, l := range links {
		parts, there := found[l.ID]
		if !there {
			continue
		}
		v := Version("")
		if parts.several() {
			if v = Version(l.Commit.ID); !parts.have(v) {
				v = VersionOf(db, b, l.ID, l.Commit)
			}
		}
		shares[i] = parts.shares(v)
	}
	return shares, nil
}

// parts are the sessions' metadata in a checkpoint, as far as shares need them; nil if it is damaged.
type parts []sharing

type sharing struct {
	Session     string               `json:"session_id"`
	Attribution *InitialAttribution  `json:"initial_attribution"`
	Commit      gitexec.OID          `json:"attributed_commit"`
	Earlier     []EarlierAttribution `json:"earlier_attributions"`
}

// readParts reads the metadata of all sessions of the checkpoints that are there, in two requests.
func readParts(db *gitexec.ODB, b Branch, links []Linking) (map[string]parts, error) {
	if b.Tree == "" {
		return nil, nil
	}
	root, err := readDir(db, gitexec.Entry{Mode: gitexec.ModeTree, ID: b.Tree}, shadow.Checkpoints)
	if err != nil {
		return nil, err
	}
	var asked []string
	var dirs []gitexec.OID // as git names them from the shard, which is not read here
	seen := map[string]bool{}
	for _, l := range links {
		if shard := root[l.ID[:2]]; shard.IsTree() && !seen[l.ID] {
			asked, dirs, seen[l.ID] = append(asked, l.ID), append(dirs, shard.ID+gitexec.OID(":"+l.ID[2:])), true
		}
	}
	all, damaged := map[string]parts{}, map[string]bool{}
	var of []string
	var files []gitexec.OID
	err = db.EachTree(mostDirectory, dirs, func(at []int, dir gitexec.Tree, err error) error {
		for _, i := range at {
			indexes, wrong := sessionsIn(dir, Dir(asked[i]))
			all[asked[i]], damaged[asked[i]] = parts{}, wrong != nil || err != nil
			for n, index := range indexes {
				if e := dir[strconv.Itoa(index)]; index == n && e.IsTree() {
					of, files = append(of, asked[i]), append(files, e.ID+":metadata.json")
				}
			}
		}
		return db.Canceled()
	})
	if err != nil {
		return nil, err
	}
	found := make([]sharing, len(files))
	err = db.EachBlob(mostMetadata, files, func(at []int, data []byte, err error) error {
		var p sharing
		if err != nil || unmarshal(data, &p) != nil {
			p = sharing{}
		}
		for _, i := range at {
			found[i] = p
		}
		return db.Canceled()
	})
	if err != nil {
		return nil, err
	}
	for i, id := range of {
		damaged[id] = damaged[id] || found[i].Session == ""
		all[id] = append(all[id], found[i])
	}
	for id, of := range all {
		if damaged[id] || len(of) == 0 {
			all[id] = nil // and yet among them
		}
	}
	return all, nil
}

// several reports whether the checkpoint has versions for several commits.
func (all parts) several() bool {
	for _, p := range all {
		if len(p.Earlier) > 0 {
			return true
		}
	}
	return false
}

func (all parts) have(v Version) bool {
	for _, p := range all {
		if _, ok := inVersion(v, p.Attribution, p.Commit, p.Earlier); ok {
			return true
		}
	}
	return false
}

// shares gives the parts of the sessions that had one in a version.
func (all parts) shares(v Version) []Share {
	shares := []Share{}
	for _, p := range all {
		a, ok := inVersion(v, p.Attribution, p.Commit, p.Earlier)
		if !ok {
			continue
		}
		s := Share{Session: p.Session}
		if a != nil {
			s.Agent, s.Lines = a.AgentLines, a.TotalCommitted+a.OtherSessions
		}
		shares = append(shares, s)
	}
	return shares
}
