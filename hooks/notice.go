package hooks

import (
	"encoding/json"
	"errors"
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

// takeNotices are the notices, which are not printed any more.
func (p *hook) takeNotices() (all []error) {
	for _, text := range p.Notices {
		all = append(all, errors.New(text))
	}
	p.Notices = nil
	return all
}
