package report

import "fmt"

// step is a Step with its drawing, in three lanes: the branch, the stream, and the checkpoints.
type step struct {
	Step
	Paths   []line
	Shape   string // square, diamond, or a circle
	X       int
	Diamond string
}

// line is a part of a lane.
type line struct{ Class, D string }

// The lanes' positions, in pixels; a step is 44 high.
const (
	trunk  = 10
	branch = 28
	third  = 46
)

func steps(graph []Step) []step {
	var all []step
	kind := func(i int) string {
		if i < 0 || i >= len(graph) {
			return ""
		}
		return graph[i].Kind
	}
	for i, s := range graph {
		all = append(all, drawn(s, kind(i-1), kind(i+1)))
	}
	return all
}

func down(class string, x, from, to int) line {
	return line{class, fmt.Sprintf("M%d %dV%d", x, from, to)}
}

// drawn is a step with its drawing, between the kinds of those before and after it.
func drawn(s Step, before, next string) step {
	one := step{Step: s, X: branch}
	add := func(l line) { one.Paths = append(one.Paths, l) }
	switch s.Kind {
	case "base":
		one.X = trunk
		add(down("faint", trunk, 22, 44))
		// The stream begins here, unless the commit follows at once.
		if next != "commit" && next != "" {
			add(line{"", fmt.Sprintf("M%d 22C%d 36 %d 30 %d 44", trunk, trunk, branch, branch)})
		}
	case "commit":
		one.X = trunk
		add(down("faint", trunk, 0, 22))
		if before != "base" {
			add(line{"", fmt.Sprintf("M%d 0C%d 14 %d 8 %d 22", branch, branch, trunk, trunk)})
		}
		if next == "checkpoint" {
			add(line{"dots", fmt.Sprintf("M%d 22C%d 36 %d 26 %d 44", trunk, third-10, third, third)})
		}
	case "checkpoint":
		one.X, one.Shape = third-5, "square"
		add(down("dots", third, 0, 22))
		if next == "checkpoint" {
			add(down("dots", third, 22, 44))
		}
	case "waiting":
		add(down("dots", branch, 0, 16))
	default:
		one.drawPart(next == "")
	}
	return one
}

// drawPart draws a part on the stream.
func (s *step) drawPart(last bool) {
	end := 44
	if last {
		end = 22
	}
	s.Paths = append(s.Paths, down("faint", trunk, 0, 44), down("", branch, 0, end))
	switch s.Kind {
	case Human:
		s.X, s.Shape = branch-5, "square"
	case Other:
		s.Shape, s.Diamond = "diamond", fmt.Sprintf("M%d 15l7 7l-7 7l-7 -7z", branch)
	}
}
