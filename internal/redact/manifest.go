package redact

import "strings"

// Bounds of a manifest: how far its data may be from the line that says what it is.
const manifestLines, manifestBytes = 60, 8 << 10

var (
	secretKind = compiled(`^\s*(?:- )?["']?kind["']?:\s{0,4}["']?(?:Sealed)?Secret["']?,?\s*$`)
	dataLine   = compiled(`^(\s*)(?:- )?(?:data|stringData):\s*$`)
	dataEntry  = compiled(`^(\s+)["']?([\w.-]{1,100})["']?:\s{1,4}(?:(\|[-+]?\d?|>[-+]?)\s*$|["']?([^\s"'\x60#][^\n"'\x60]*?)["']?\s*(?:#.*)?$)`)
	// What a secret of Kubernetes has beside secrets.
	openEntry = compiled(`(?i)^(?:.*[._-])?(?:user|username|login|host|hostname|server|port|db|dbname|database|name|namespace|url|endpoint|region|type|engine|email|ca|crt|cert|pub|annotations?)$`)
)

// manifests finds the values of Kubernetes' secrets in YAML: they are base64, which says nothing of
// what it stands for. The data stands before the kind as well as behind it.
func manifests(text string) []span {
	var found []span
	done := 0
	for at := 0; ; {
		i := strings.Index(text[at:], "Secret")
		if i < 0 {
			return found
		}
		at += i + len("Secret")
		from := strings.LastIndexByte(text[:at], '\n') + 1
		line, _, _ := strings.Cut(text[from:min(len(text), at+40)], "\n")
		// "Secret" is in much text: what is quick comes first.
		if at-from > 400 || !strings.Contains(line, "kind") || !secretKind().MatchString(line[linePrefix(line):]) {
			continue
		}
		// Several such words may be in one document: it is read once, and time stays linear.
		begin := max(done, documentStart(text, from))
		found = append(found, entries(text, begin, &done)...)
	}
}

// documentStart returns the beginning of the document that a line is in, or of what is looked at of
// it.
func documentStart(text string, at int) int {
	low := max(0, at-manifestBytes)
	for range manifestLines {
		if at <= low {
			break
		}
		from := low + strings.LastIndexByte(text[low:at-1], '\n') + 1
		if line := text[from : at-1]; documentEnd(line) {
			break
		}
		at = from
	}
	return at
}

// documentEnd reports whether a line parts two documents.
func documentEnd(line string) bool {
	line = strings.TrimRight(line, " \r")
	return strings.HasSuffix(line, "---") && len(line)-linePrefix(line) <= 3+len("+")
}

// entries finds the values below a document's lines that begin its data.
func entries(text string, at int, done *int) []span {
	var found []span
	end := min(len(text), at+2*manifestBytes)
	inside, block, begun := -1, -1, false // how far the data, and a value of several lines, are indented
	for n := 0; at < end && n < 2*manifestLines; n++ {
		line, _, _ := strings.Cut(text[at:end], "\n")
		skip := linePrefix(line)
		body := line[skip:]
		indent := len(body) - len(strings.TrimLeft(body, " "))
		switch m := dataEntry().FindStringSubmatchIndex(body); {
		// The first line may be the one that parts it from the document before.
		case documentEnd(line) && begun:
			*done = at
			return found
		case strings.TrimSpace(body) == "":
		case block >= 0 && indent > block:
			found = append(found, span{from: at + skip + indent, to: at + skip + len(strings.TrimRight(body, " \r"))})
		case inside >= 0 && m != nil && m[3] > inside:
			block = -1
			if openEntry().MatchString(body[m[4]:m[5]]) {
				break
			}
			if m[6] >= 0 {
				block = m[3]
			} else if value := body[m[8]:m[9]]; len(value) >= 4 && given(value) {
				found = append(found, span{from: at + skip + m[8], to: at + skip + m[9]})
			}
		default:
			inside, block = -1, -1
			if m := dataLine().FindStringSubmatchIndex(body); m != nil {
				inside = m[3]
			}
		}
		begun = true
		at += len(line) + 1
	}
	*done = min(at, len(text))
	return found
}
