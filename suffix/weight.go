package suffix

import "entire-plumb/internal/ledger"

// A line weighs four for each letter that ledger.Weight counts.
const (
	ofLetter = 4
	// ofPair is what it adds that two lines follow each other in both texts.
	ofPair = 1
	// enough is the weight that makes a text the agent's: a line with six letters, or a few shorter
	// ones in their order.
	enough = ledger.Evidence * ofLetter
)

// weight is that of a line by itself, at most enough.
func weight(line string) int { return ofLetter * ledger.Weight(line) }

// significant reports whether a line is evidence by itself.
func significant(line string) bool { return weight(line) >= enough }

// Enough reports whether lines in their order weigh enough to be evidence.
func Enough(lines []string) bool {
	sum := ofPair * max(0, len(lines)-1)
	for _, line := range lines {
		sum += weight(line)
	}
	return sum >= enough
}

// Weightless reports whether a line is no evidence at all, as a brace, or `return nil, err`.
func Weightless(line string) bool { return weight(line) == 0 }
