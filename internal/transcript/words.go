package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Words are what somebody said, or did, in one record of a transcript.
type Words struct {
	Who  string // user, assistant, tool; or agent, for a subagent's
	Text string
}

// Spoken reads a transcript and gives what was said in it, in its order: prompts and answers whole,
// tools by their names. Records that are no JSON are passed over.
func Spoken(in io.Reader, each func(Words) error) error {
	return lines(in, func(line []byte) error {
		for _, w := range spokenIn(line) {
			if err := each(w); err != nil {
				return err
			}
		}
		return nil
	})
}

func spokenIn(line []byte) []Words {
	rec, ok := decode(bytes.TrimSpace(line))
	if !ok {
		return nil
	}
	if rec.Type == typeUser {
		if text := rec.prompt(); text != "" && !rec.IsSidechain {
			return []Words{{typeUser, text}}
		}
		return nil
	}
	who := typeAssistant
	if rec.IsSidechain {
		who = "agent"
	}
	var words []Words
	var tools struct {
		Message struct {
			Content []struct{ Type, Name string }
		}
	}
	_ = json.Unmarshal(line, &tools) // blocks of another shape have no name
	for i, block := range rec.Message.Content {
		switch text := strings.TrimSpace(block.Text); {
		case block.Type == blockText && text != "":
			words = append(words, Words{who, text})
		case block.Type == blockToolUse && i < len(tools.Message.Content) && tools.Message.Content[i].Name != "":
			words = append(words, Words{"tool", tools.Message.Content[i].Name})
		}
	}
	return words
}
