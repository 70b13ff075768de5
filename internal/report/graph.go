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
	down := func(class string, x, from, to int) line { return line{class, fmt.Sprintf("M%d %dV%d", x, from, to)} }
	for i, s := range graph {
		one := step{Step: s, X: branch}
		next, before := "", ""
		if i+1 < len(graph) {
			next = graph[i+1].Kind
		}
		if i > 0 {
			before = graph[i-1].Kind
		}
		parts := next != "commit" && next != ""
		switch s.Kind {
		case "base":
			one.X = trunk
			one.Paths = append(one.Paths, down("faint", trunk, 22, 44))
			if parts {
				one.Paths = append(one.Paths, line{"", fmt.Sprintf("M%d 22C%d 36 %d 30 %d 44", trunk, trunk, branch, branch)})
			}
		case "commit":
			one.X = trunk
			one.Paths = append(one.Paths, down("faint", trunk, 0, 22))
			if before != "base" {
				one.Paths = append(one.Paths, line{"", fmt.Sprintf("M%d 0C%d 14 %d 8 %d 22", branch, branch, trunk, trunk)})
			}
			if next == "checkpoint" {
				one.Paths = append(one.Paths, line{"dots", fmt.Sprintf("M%d 22C%d 36 %d 26 %d 44", trunk, third-10, third, third)})
			}
		case "checkpoint":
			one.X, one.Shape = third-5, "square"
			one.Paths = append(one.Paths, down("dots", third, 0, 22))
			if next == "checkpoint" {
				one.Paths = append(one.Paths, down("dots", third, 22, 44))
			}
		case "waiting":
			one.Paths = append(one.Paths, down("dots", branch, 0, 16))
		default:
			end := 44
			if next == "" {
				end = 22
			}
			one.Paths = append(one.Paths, down("faint", trunk, 0, 44), down("", branch, 0, end))
			switch s.Kind {
			case Human:
				one.X, one.Shape = branch-5, "square"
			case Other:
				one.Shape, one.Diamond = "diamond", fmt.Sprintf("M%d 15l7 7l-7 7l-7 -7z", branch)
			}
		}
		all = append(all, one)
	}
	return all
}
