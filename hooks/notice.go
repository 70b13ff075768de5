package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"entire-plumb/internal/workspace"
)

// printNotices prints the notices as the agent's hooks expect them, in one JSON object.
func printNotices(w *workspace.Workspace) error {
	if len(w.Notices) == 0 {
		return nil
	}
	line, err := json.Marshal(map[string]string{"systemMessage": "entire-plumb: " + strings.Join(w.Notices, ". ") + "."})
	if err == nil {
		_, err = fmt.Fprintln(w.Stdout, string(line))
	}
	return err
}

// takeNotices are the notices, which are not printed any more.
func takeNotices(w *workspace.Workspace) (all []error) {
	for _, text := range w.Notices {
		all = append(all, errors.New(text))
	}
	w.Notices = nil
	return all
}
