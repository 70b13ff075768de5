package message

import "testing"

func TestValidID(t *testing.T) {
	for id, want := range map[string]struct{ valid, ownRef, prefix bool }{
		"":                            {},
		"a3b2c4d5e6f7":                {true, false, true},
		"A3B2C4D5E6F7":                {false, false, false}, // a ULID begins with 0 to 7
		"a3b2c4d5e6f":                 {false, false, true},
		"a3b2c4d5e6f70":               {false, false, false},
		"a3b2c4d5e6fg":                {false, false, false},
		"01KXGTTNGCEACC83QZEJ5YAF0D":  {true, true, true},
		"7ZZZZZZZZZZZZZZZZZZZZZZZZZ":  {true, true, true},
		"80000000000000000000000000":  {false, false, false}, // more than 128 bits
		"01KXGTTNGCEACC83QZEJ5YAF0":   {false, false, true},
		"01KXGTTNGCEACC83QZEJ5YAF0D0": {false, false, false},
		"01KXGTTNGCEACC83QZEJ5YAUXX":  {false, false, false}, // U is no digit
		"01kxgttngceacc83qzej5yaf0d":  {false, false, false},
		"01":                          {false, false, true},
		"0/":                          {false, false, false},
	} {
		if got := ValidID(id); got != want.valid {
			t.Errorf("ValidID(%q) = %v", id, got)
		}
		if got := HasOwnRef(id); got != want.ownRef {
			t.Errorf("HasOwnRef(%q) = %v", id, got)
		}
		if got := ValidPrefix(id); got != want.prefix {
			t.Errorf("ValidPrefix(%q) = %v", id, got)
		}
	}
}
