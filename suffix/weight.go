package suffix

import "entire-plumb/internal/ledger"

// significant reports whether a line is evidence by itself.
func significant(line string) bool { return enough([]string{line}) }

// enough reports whether lines weigh enough to be evidence together.
func enough(lines []string) bool { return weigh(lines) >= ledger.Evidence }

func weigh(lines []string) (sum int) {
	for _, line := range lines {
		sum += ledger.Weight(line)
	}
	return sum
}

// Weightless reports whether a line is no evidence at all, as a brace, or `return nil, err`.
func Weightless(line string) bool { return ledger.Weight(line) == 0 }
