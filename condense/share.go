package condense

import (
	"encoding/json"
	"strconv"

	"entire-plumb/gitexec"
)

// Share is one session's part in a checkpoint's commit.
type Share struct {
	Session string
	Agent   int // lines that are its agent's
	Lines   int // of the commit, whoever's; 0: not known
}

// ReadShares reads the sessions' parts in checkpoints, in two requests for all of them. A checkpoint that isn't there isn't among them, and of one that
// is damaged there are no parts.
func ReadShares(db *gitexec.ODB, b Branch, ids []string) (map[string][]Share, error) {
	paths := make([]gitexec.Path, len(ids))
	for i, id := range ids {
		paths[i] = gitexec.Path(id[:2])
	}
	shards, err := db.Lookup(b.Tree, paths...)
	if err != nil {
		return nil, err
	}
	var asked []string
	var dirs []gitexec.OID // as git names them from the shard, which is not read here
	for i, id := range ids {
		if shards[i].IsTree() {
			asked, dirs = append(asked, id), append(dirs, shards[i].ID+gitexec.OID(":"+id[2:]))
		}
	}
	trees, err := db.AnyTrees(dirs...)
	if err != nil {
		return nil, err
	}
	var of []string
	var files []gitexec.OID
	for i, id := range asked {
		for index := 0; trees[i][strconv.Itoa(index)].IsTree(); index++ {
			of, files = append(of, id), append(files, trees[i][strconv.Itoa(index)].ID+":metadata.json")
		}
	}
	found, err := db.Any(files...)
	if err != nil {
		return nil, err
	}
	shares, damaged := map[string][]Share{}, map[string]bool{}
	for i, id := range of {
		s, ok := share(found[i])
		shares[id], damaged[id] = append(shares[id], s), damaged[id] || !ok
	}
	for _, id := range asked {
		if damaged[id] || shares[id] == nil {
			shares[id] = []Share{}
		}
	}
	return shares, nil
}

// share reads what is needed of a session's metadata.json.
func share(file gitexec.Object) (Share, bool) {
	var meta struct {
		Session     string `json:"session_id"`
		Attribution *struct {
			Agent  int `json:"agent_lines"`
			Total  int `json:"total_committed"`
			Others int `json:"other_sessions_lines"`
		} `json:"initial_attribution"`
	}
	if file.Type != "blob" || json.Unmarshal(file.Data, &meta) != nil {
		return Share{}, false
	}
	s := Share{Session: meta.Session}
	if a := meta.Attribution; a != nil {
		s.Agent, s.Lines = a.Agent, a.Total+a.Others
	}
	return s, true
}
