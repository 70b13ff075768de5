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

// Linking is a commit's link to a checkpoint.
type Linking struct {
	ID     string
	Commit gitexec.Commit
}

// ReadShares reads the sessions' parts in the commits that link checkpoints, in the same order, in two requests for all of them. Of a checkpoint that isn't
// there it is nil, and of one that is damaged there are no parts. What came of a commit that has no version of its own in a checkpoint with several
// costs requests of its own.
func ReadShares(db *gitexec.ODB, b Branch, links []Linking) ([][]Share, error) {
	found, err := readParts(db, b, links)
	if err != nil {
		return nil, err
	}
	shares := make([][]Share, len(links))
	for i, l := range links {
		parts, there := found[l.ID]
		if !there {
			continue
		}
		v := Version("")
		if parts.several() {
			if v = Version(l.Commit.ID); !parts.have(v) {
				v = VersionOf(db, b, l.ID, l.Commit)
			}
		}
		shares[i] = parts.shares(v)
	}
	return shares, nil
}

// parts are the sessions' metadata in a checkpoint, as far as shares need them; nil if it is damaged.
type parts []sharing

type sharing struct {
	Session     string               `json:"session_id"`
	Attribution *InitialAttribution  `json:"initial_attribution"`
	Commit      gitexec.OID          `json:"attributed_commit"`
	Earlier     []EarlierAttribution `json:"earlier_attributions"`
}

// readParts reads the metadata of all sessions of the checkpoints that are there, in two requests.
func readParts(db *gitexec.ODB, b Branch, links []Linking) (map[string]parts, error) {
	var ids []string
	var paths []gitexec.Path
	seen := map[string]bool{}
	for _, l := range links {
		if !seen[l.ID] {
			ids, paths, seen[l.ID] = append(ids, l.ID), append(paths, gitexec.Path(l.ID[:2])), true
		}
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
	all, damaged := map[string]parts{}, map[string]bool{}
	for i, id := range of {
		var p sharing
		if found[i].Type != "blob" || json.Unmarshal(found[i].Data, &p) != nil || p.Session == "" {
			damaged[id] = true
		}
		all[id] = append(all[id], p)
	}
	for _, id := range asked {
		if damaged[id] || len(all[id]) == 0 {
			all[id] = nil // and yet among them
		}
	}
	return all, nil
}

// several reports whether the checkpoint has versions for several commits.
func (all parts) several() bool {
	for _, p := range all {
		if len(p.Earlier) > 0 {
			return true
		}
	}
	return false
}

func (all parts) have(v Version) bool {
	for _, p := range all {
		if _, ok := inVersion(v, p.Attribution, p.Commit, p.Earlier); ok {
			return true
		}
	}
	return false
}

// shares gives the parts of the sessions that had one in a version.
func (all parts) shares(v Version) []Share {
	shares := []Share{}
	for _, p := range all {
		a, ok := inVersion(v, p.Attribution, p.Commit, p.Earlier)
		if !ok {
			continue
		}
		s := Share{Session: p.Session}
		if a != nil {
			s.Agent, s.Lines = a.AgentLines, a.TotalCommitted+a.OtherSessions
		}
		shares = append(shares, s)
	}
	return shares
}
