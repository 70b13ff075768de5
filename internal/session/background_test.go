package session

import (
	"strings"
	"testing"

	"entire-plumb/gitexec"
)

func TestWriting(t *testing.T) {
	for _, c := range []struct {
		command   string
		file      gitexec.Path
		old, made bool // as a file that was there, and as a new one
	}{
		{"sleep 1; echo x >late.txt", "late.txt", true, true},
		{"echo x >> 'src/late.txt'", "src/late.txt", true, true},
		{"gen | tee -a out/late.txt", "out/late.txt", true, true},
		{"cc --output=late.o late.c", "late.o", true, true},
		{"cc -o late.o late.c", "late.c", false, true},
		{"python app.py", "app.py", false, true},
		{"python app.py > app.log", "app.py", false, true},
		{"npm run dev", "index.js", false, false},
		{"echo > translate.txt; cat late.txt.old", "late.txt", false, false},
		{"cat translate.txt > late.txt", "late.txt", true, true},
		{"", "late.txt", false, false},
		{"echo >é.txt", "é.txt", true, true},
		{"sed -i s/a/b/ late.txt", "late.txt", true, true},
		{"sed s/a/b/ late.txt", "late.txt", false, true},
		{"gen 2>&1 >| out/late.txt", "out/late.txt", true, true},
		{"gen &> $PWD/late.txt", "late.txt", true, true},
		{"dd if=x of=late.txt", "late.txt", true, true},
		{"esbuild x --outfile=late.txt", "late.txt", true, true},
		{"cp x late.txt && serve y.txt", "late.txt", true, true},
		{"cp x late.txt && serve y.txt", "y.txt", false, true},
		{"grep -o late.txt x", "late.txt", false, true},
		{">late.txt gen x.txt", "late.txt", true, true},
		{">late.txt gen x.txt", "x.txt", false, true},
		{"committee late.txt", "late.txt", false, true},
		{"sed -i s/a/b/ web/index.js", "index.js", false, false},
		{"sed -i s/a/b/ web/index.js", "api/index.js", false, false},
		{"sed -i s/a/b/ web/index.js", "src/web/index.js", true, true}, // within src
		{"sed -i s/a/b/ ./index.js", "web/index.js", true, true},
		{"sed -i s/a/b/ ../web/index.js", "web/index.js", true, true},
		{"sed -i s/a/b/ ../web/index.js", "index.js", false, false},
		{"sed -i s/a/b/ repo/index.js", "index.js", true, true}, // within the directory above
		{"sed -i s/a/b/ /home/u/repo/web/index.js", "web/index.js", true, true},
		{"sed -i s/a/b/ /home/u/repo/web/index.js", "index.js", false, false},
		{"sed -i s/a/b/ /link/repo/index.js", "index.js", true, true},
		{"gen >/tmp/index.js", "index.js", false, false},
		{"gen >~/repo/index.js", "index.js", true, true},
		{"gen >${OUT}/index.js", "web/index.js", true, true},
		{"gen >$OUT/web/index.js", "api/index.js", false, false},
		{"sed -i s/a/b/ */index.js", "web/index.js", true, true},
		{"gen >..index/index.js", "..index/index.js", true, true},
		{"cp f.txt g.txt", "f.txt", false, true},
		{"cp f.txt g.txt", "g.txt", true, true},
		{"cp f.txt h.txt dir/", "dir/h.txt", true, true},
		{"cp f.txt dir; ls x", "dir/f.txt", true, true},
		{"cp -r ../f.txt .", "f.txt", true, true},
		{"mv f.txt g.txt", "f.txt", true, true},
	} {
		tasks := BackgroundTasks{{ID: "a", Command: c.command}, {ID: "b", Shell: true, Command: c.command}}.Files()
		for isNew, want := range map[bool]bool{false: c.old, true: c.made} {
			if task, ok := tasks.Writing("/home/u/repo", c.file, isNew); ok != want || ok && task.ID != "b" {
				t.Errorf("%q writes %s, new %t: %q, %t", c.command, c.file, isNew, task.ID, ok)
			}
		}
	}
}

func TestBackgroundTasks(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "secret", "***") }
	var tasks BackgroundTasks
	tasks = tasks.Now([]BackgroundTask{{ID: "a", Shell: true, Command: "x secret"}, {ID: "b"}}, "t1", "First", hide)
	tasks = tasks.Now([]BackgroundTask{{ID: "a", Shell: true, Command: "y"}, {ID: "c", Shell: true, Command: strings.Repeat("y", 9<<10)}}, "t2", "Second", hide)
	if len(tasks) != 2 || tasks[0].TurnID != "t1" || tasks[0].Command != "x ***" || tasks[1].Prompt != "Second" || len(tasks[1].Command) != mostCommand {
		t.Errorf("%+v", tasks)
	}
	if !tasks[:1].OnlyShells() {
		t.Error("shells alone aren't known as such")
	}
	tasks.Heard("a")
	if tasks.OnlyShells() || !tasks[0].Ended || tasks[1].Ended {
		t.Errorf("after one has ended: %+v", tasks)
	}
	if again := tasks.Now(tasks, "t3", "Third", hide); again[0].Ended {
		t.Error("a task that goes on has ended")
	}
	if (BackgroundTasks{}).OnlyShells() {
		t.Error("none counts as shells")
	}
	for fact, task := range map[string]BackgroundTask{
		"a subagent counts as a shell": {ID: "a", Command: "x"}, "an unknown command is known": {ID: "a", Shell: true},
		"one that was cut is known whole": {ID: "a", Shell: true, Command: strings.Repeat("x", mostCommand)},
	} {
		if (BackgroundTasks{task}).OnlyShells() {
			t.Error(fact)
		}
	}
}
