package fulltext

import (
	"regexp/syntax"
	"slices"
)

// Required are the folded texts that are in whatever a regular expression matches: of each list
// one. None: nothing is known.
func Required(expression string) ([][]string, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return required(parsed.Simplify()), nil
}

// mostAlternatives is how many texts a list has.
const mostAlternatives = 32

func required(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpLiteral:
		return [][]string{{Fold(string(re.Rune))}}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		// What may be there no times is not required.
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var all [][]string
		for _, sub := range re.Sub {
			all = append(all, required(sub)...)
		}
		return all
	case syntax.OpAlternate:
		return alternatives(re.Sub)
	}
	return nil
}

// alternatives is one list, of what each alternative requires the longest text; none where one
// requires nothing.
func alternatives(subs []*syntax.Regexp) [][]string {
	var any []string
	for _, sub := range subs {
		all := required(sub)
		if len(all) == 0 {
			return nil
		}
		// The longest is in the fewest texts, as a rule.
		any = append(any, slices.MaxFunc(all, func(a, b []string) int { return shortest(a) - shortest(b) })...)
	}
	// Looking for so many takes longer than reading the texts.
	if len(any) > mostAlternatives {
		return nil
	}
	return [][]string{any}
}

// shortest is the length of the shortest text of a list.
func shortest(list []string) int {
	least := len(list[0])
	for _, text := range list {
		least = min(least, len(text))
	}
	return least
}
