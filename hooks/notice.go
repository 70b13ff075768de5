package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// notify adds a notice for the user, which the agent shows at the hook's end.
func notify(run *Run, text string) { run.Notices = append(run.Notices, text) }

// printNotices prints the notices as the agent's hooks expect them, in one JSON object.
func printNotices(run *Run) error {
	if len(run.Notices) == 0 {
		return nil
	}
	line, err := json.Marshal(map[string]string{"systemMessage": "entire-plumb: " + strings.Join(run.Notices, ". ") + "."})
	if err == nil {
		_, err = fmt.Fprintln(run.Stdout, string(line))
	}
	return err
}

// takeNotices are the notices, which are not printed any more.
func takeNotices(run *Run) (all []error) {
	for _, text := range run.Notices {
		all = append(all, errors.New(text))
	}
	run.Notices = nil
	return all
}
