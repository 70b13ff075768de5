package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"entire-plumb/gitexec"
	"entire-plumb/internal/safefile"
	"entire-plumb/internal/skill"
)

// SkillFile is a file of the skill in a worktree.
type SkillFile struct {
	Name  string      `json:"file"`  // below the worktree's top level, with slashes
	State skill.State `json:"state"` // absent, current, outdated: of another version, or foreign
}

// Skill says where the skill is. A file that leads out of the worktree is not ours.
func Skill(repo *gitexec.Repo) (files []SkillFile) {
	for _, name := range skill.Files {
		data, err := safefile.ReadInside(repo.Top, name, skill.Most)
		state := skill.StateOf(data)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			state = skill.Foreign
		}
		files = append(files, SkillFile{name, state})
	}
	return files
}

// EnableSkill writes the skill. If a file must not be written, none is.
func EnableSkill(ctx context.Context, repo *gitexec.Repo) (done []string, err error) {
	if err := checkFiles(ctx, repo, skill.Files...); err != nil {
		return nil, err
	}
	files := Skill(repo)
	for _, f := range files {
		if f.State == skill.Foreign {
			return nil, fmt.Errorf("%s is another's, or was changed: the skill is not written\nhint: move the file, then entire-plumb enable --skill", f.Name)
		}
	}
	for _, f := range files {
		if f.State == skill.Current {
			continue
		}
		if err := safefile.RewriteInside(repo.Top, f.Name, skill.Text()); err != nil {
			return done, err
		}
		done = append(done, "wrote "+f.Name)
	}
	return done, nil
}

// disableSkill removes the skill where it is as this program wrote it.
func disableSkill(ctx context.Context, repo *gitexec.Repo) (done []string, err error) {
	for _, f := range Skill(repo) {
		if f.State != skill.Current && f.State != skill.Outdated {
			continue
		}
		err2 := checkFiles(ctx, repo, f.Name)
		if err2 == nil {
			err2 = safefile.RemoveInside(repo.Top, f.Name)
		}
		if err = errors.Join(err, err2); err2 == nil {
			done = append(done, "removed "+f.Name)
			for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
				safefile.RemoveEmpty(repo.Top, dir)
			}
		}
	}
	return done, err
}
