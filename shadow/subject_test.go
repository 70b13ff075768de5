package shadow

import "testing"

func TestSubjects(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{TaskSubject("dev", "Write it", "toolu_1"), "Completed 'dev' agent: Write it (toolu_1)"},
		{TaskSubject("dev", "", "toolu_1"), "Completed 'dev' agent (toolu_1)"},
		{TaskSubject("", "Write it", "toolu_1"), "Completed agent: Write it (toolu_1)"},
		{TaskSubject("", "", "toolu_1"), "Task: toolu_1"},
		{StepSubject("Write tests", 3, "toolu_1"), "Write tests (toolu_1)"},
		{StepSubject("", 3, "toolu_1"), "Checkpoint #3: toolu_1"},
		{CurrentTodo([]byte(`[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]`)), "b"},
		{CurrentTodo([]byte(`[{"content":"a","status":"completed"},{"content":"c","status":"pending"},{"content":"d","status":"pending"}]`)), "c"},
		{CurrentTodo([]byte(`[{"content":"a","status":"completed"},{"content":"b","status":"completed"}]`)), "b"},
		{CurrentTodo([]byte(`[{"content":"a","status":"odd"},{"content":"b","status":"odder"}]`)), "a"},
		{CurrentTodo([]byte(`[]`)), ""}, {CurrentTodo([]byte(`{"not":"a list"}`)), ""}, {CurrentTodo(nil), ""},
	} {
		if test.got != test.want {
			t.Errorf("%q, not %q", test.got, test.want)
		}
	}
}
