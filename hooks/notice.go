package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
)

// notify says something to the user, through the agent, at the hook's end.
func (p *hook) notify(text string) { p.Notices = append(p.Notices, text) }

// sayWords prints what the user is to be told as the agent's hooks want it, in one object of JSON.
func (p *hook) sayWords() error {
	if len(p.Notices) == 0 {
		return nil
	}
	line, err := json.Marshal(map[string]string{"systemMessage": "entire-plumb: " + strings.Join(p.Notices, ". ") + "."})
	if err == nil {
		_, err = fmt.Fprintln(p.Stdout, string(line))
	}
	return err
}
