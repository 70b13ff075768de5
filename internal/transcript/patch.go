package transcript

import "strings"

// patchMarks begin the lines of a patch for apply_patch that name a file.
var patchMarks = []struct {
	begins string
	moves  bool // the file before it, to which what follows is done
}{{"*** Add File: ", false}, {"*** Update File: ", false}, {"*** Delete File: ", false}, {"*** Move to: ", true}}

// patched lists the files that a patch for apply_patch names.
func patched(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		if name, _ := patchFile(line); name != "" {
			files = append(files, name)
		}
	}
	return files
}

// patchFile is the file that a line of a patch names, and whether that is its new name. Most lines
// name none.
func patchFile(line string) (name string, moved bool) {
	for _, mark := range patchMarks {
		if name, ok := strings.CutPrefix(line, mark.begins); ok {
			return strings.TrimSpace(name), mark.moves
		}
	}
	return "", false
}

// eachPatched reads the edits of a patch for apply_patch. A part of it says what stands there
// before and after it. What stood in a file that it moves is not known under the new name.
func eachPatched(patch string, each func(file string, e Edit)) {
	var old, text strings.Builder
	file, moved, changes := "", false, false
	flush := func() {
		if file != "" && changes {
			each(file, Edit{Old: old.String(), New: text.String(), Located: !moved})
		}
		old.Reset()
		text.Reset()
		changes = false
	}
	for line := range strings.Lines(patch) {
		if name, now := patchFile(line); name != "" {
			flush()
			file, moved = name, now
			continue
		}
		switch line[0] {
		case '+':
			text.WriteString(line[1:])
			changes = true
		case '-':
			old.WriteString(line[1:])
			changes = true
		case ' ', '\n', '\r': // an empty line may have lost its blank
			old.WriteString(strings.TrimPrefix(line, " "))
			text.WriteString(strings.TrimPrefix(line, " "))
		default: // `@@`, or the end of a file or of the patch
			flush()
		}
	}
	flush()
}
