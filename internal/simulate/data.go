package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kinds are the texts that workflows may consist of, by name: programs, or data whose lines are
// short and look alike.
var kinds = map[string]func(*rand.Rand) string{
	"numbers": func(rng *rand.Rand) string { return fmt.Sprint(rng.IntN(1000)) },
	"rows": func(rng *rand.Rand) string {
		return fmt.Sprintf("%d,%d,%s", rng.IntN(50), rng.IntN(10), pick(rng, short))
	},
	"words": func(rng *rand.Rand) string { return pick(rng, short) },
	"chinese": func(rng *rand.Rand) string {
		var text strings.Builder
		for range 1 + rng.IntN(4) {
			text.WriteRune(pick(rng, []rune("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年")))
		}
		return text.String()
	},
}

var short = strings.Fields("ant bee cat cow crab crow deer dog dove duck eel elk emu fox frog goat hare hawk hen ibis jay kite lark lion lynx " +
	"mole moth mule newt owl ox pig pony puma ram rat seal swan tern toad trout tuna vole wasp wolf worm wren yak zebu")

// data makes lines of one of the kinds.
func (w *world) data(n, unit int) []line {
	lines := make([]line, 0, n)
	for range n {
		lines = append(lines, line{id: w.next(), unit: unit, kind: distinct, text: w.kind(w.rng)})
	}
	return lines
}
