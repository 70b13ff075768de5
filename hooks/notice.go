package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"entire-plumb/internal/workspace"
)

// printNotices prints the notices as the agent's hooks expect them, in one JSON object.
func printNotices(run *workspace.Run) error {
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
func takeNotices(run *workspace.Run) (all []error) {
	for _, text := range run.Notices {
		all = append(all, errors.New(text))
	}
	run.Notices = nil
	return all
}
