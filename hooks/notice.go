package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
)

// notify adds a notice for the user, which the agent shows at the hook's end.
func (p *hook) notify(text string) { p.Notices = append(p.Notices, text) }

// printNotices prints the notices as the agent's hooks expect them, in one JSON object.
func (p *hook) printNotices() error {
	if len(p.Notices) == 0 {
		return nil
	}
	line, err := json.Marshal(map[string]string{"systemMessage": "entire-plumb: " + strings.Join(p.Notices, ". ") + "."})
	if err == nil {
		_, err = fmt.Fprintln(p.Stdout, string(line))
	}
	return err
}
