package condense

import "entire-plumb/gitexec"

// SessionLines is what a checkpoint says of one session's part in its commit.
type SessionLines struct {
	SessionID   string              `json:"session_id"`
	Agent       string              `json:"agent,omitempty"`
	Attribution *InitialAttribution `json:"initial_attribution"` // nil: not known
	Files       []FileLines         `json:"files"`
}

// FileLines is how many lines of a commit's are one session's, in a file.
type FileLines struct {
	Path  gitexec.Path `json:"path"`
	Agent int          `json:"agent_lines"`
	Lines int          `json:"lines"` // whoever's
}

// ReadLines reads what a checkpoint says of its commit's lines, session by session; it is empty where there is no such checkpoint.
func ReadLines(db *gitexec.ODB, b Branch, id string) ([]SessionLines, error) {
	c, err := open(db, b.Tree, id)
	if err != nil {
		return nil, err
	}
	var all []SessionLines
	for _, s := range c.sessions {
		owned, _, err := readOwned(db, s.files)
		if err != nil {
			return nil, err
		}
		lines := SessionLines{SessionID: s.meta.SessionID, Agent: s.meta.Agent, Attribution: s.meta.InitialAttribution, Files: []FileLines{}}
		for _, f := range owned.Files {
			lines.Files = append(lines.Files, FileLines{Path: f.Path, Agent: f.Own(), Lines: f.Lines})
		}
		all = append(all, lines)
	}
	return all, nil
}
