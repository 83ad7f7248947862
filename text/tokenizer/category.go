package tokenizer

import "unicode"

// The reference's regular expressions know Unicode 16, and [runesOf] Unicode 15.

// newer holds the characters that joined a category or a script between Unicode 15 and
// 16.
var newer = map[string]runeSet{
	"Lu": {
		0x1c89, 0x1c89, 0xa7cb, 0xa7cc, 0xa7da, 0xa7da, 0xa7dc, 0xa7dc, 0x10d50, 0x10d65,
	},
	"Ll": {
		0x1c8a, 0x1c8a, 0xa7cd, 0xa7cd, 0xa7db, 0xa7db, 0x10d70, 0x10d85,
		0x295, 0x295,
	},
	"Lm": {
		0x10d4e, 0x10d4e, 0x10d6f, 0x10d6f, 0x16d40, 0x16d42, 0x16d6b, 0x16d6c,
	},
	"Lo": {
		0x105c0, 0x105f3, 0x10d4a, 0x10d4d, 0x10d4f, 0x10d4f, 0x10ec2, 0x10ec4, 0x11380, 0x11389, 0x1138b, 0x1138b,
		0x1138e, 0x1138e, 0x11390, 0x113b5, 0x113b7, 0x113b7, 0x113d1, 0x113d1, 0x113d3, 0x113d3, 0x11bc0, 0x11be0,
		0x13460, 0x143fa, 0x16100, 0x1611d, 0x16d43, 0x16d6a, 0x18cff, 0x18cff, 0x1e5d0, 0x1e5ed, 0x1e5f0, 0x1e5f0,
		0x2ebf0, 0x2ee5d,
	},
	"M": {
		0x897, 0x897, 0x10d69, 0x10d6d, 0x10efc, 0x10efc, 0x113bb, 0x113c0, 0x113ce, 0x113ce, 0x113d0, 0x113d0,
		0x113d2, 0x113d2, 0x113e1, 0x113e2, 0x11f5a, 0x11f5a, 0x1611e, 0x16129, 0x1612d, 0x1612f, 0x1e5ee, 0x1e5ef,
		0x113b8, 0x113ba, 0x113c2, 0x113c2, 0x113c5, 0x113c5, 0x113c7, 0x113ca, 0x113cc, 0x113cd, 0x113cf, 0x113cf,
		0x1612a, 0x1612c,
	},
	"Nd": {
		0x10d40, 0x10d49, 0x116d0, 0x116e3, 0x11bf0, 0x11bf9, 0x16130, 0x16139, 0x16d70, 0x16d79, 0x1ccf0, 0x1ccf9,
		0x1e5f1, 0x1e5fa,
	},
	"Pd": {0x10d6e, 0x10d6e},
	"Po": {
		0x1b4e, 0x1b4f, 0x1b7f, 0x1b7f, 0x113d4, 0x113d5, 0x113d7, 0x113d8, 0x11be1, 0x11be1, 0x16d6d, 0x16d6f,
		0x1e5ff, 0x1e5ff,
	},
	"Sm": {0x10d8e, 0x10d8f},
	"So": {
		0x2427, 0x2429, 0x2ffc, 0x2fff, 0x31e4, 0x31e5, 0x31ef, 0x31ef, 0x1cc00, 0x1ccef,
		0x1cd00, 0x1ceb3, 0x1f8b2, 0x1f8bb, 0x1f8c0, 0x1f8c1, 0x1fa89, 0x1fa89, 0x1fa8f, 0x1fa8f, 0x1fabe, 0x1fabe,
		0x1fac6, 0x1fac6, 0x1fadc, 0x1fadc, 0x1fadf, 0x1fadf, 0x1fae9, 0x1fae9, 0x1fbcb, 0x1fbef,
	},
	"Han": {0x2ebf0, 0x2ee5d},
}

// left holds what leaves a category in Unicode 17.
var left = map[string]runeSet{"Lo": {0x295, 0x295}}

// categoryRunes returns the characters of a general category of Unicode 16, or of a script.
// Categories that changed in other ways, and scripts that we did not compare, are
// unknown.
func categoryRunes(name string) (set runeSet, known bool) {
	switch name {
	case "L", "P", "S", "N", "Z":
		for sub := range unicode.Categories {
			if len(sub) == 2 && sub[:1] == name {
				part, _ := categoryRunes(sub)
				set = append(set, part...)
			}
		}
		return set.sorted(), true
	case "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
		"Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp":
		return runesOf(unicode.Categories[name]).Or(newer[name]).And(left[name].Not()), true
	case "Han", "Hiragana", "Katakana", "Hangul":
		return runesOf(unicode.Scripts[name]).Or(newer[name]), true
	}
	return nil, false
}

// mustCategory is Category for known names.
func mustCategory(names ...string) runeSet {
	var set runeSet
	for _, name := range names {
		part, _ := categoryRunes(name)
		set = append(set, part...)
	}
	return set.sorted()
}

// spaces returns white space: \s.
func spaces() runeSet { return runesOf(unicode.White_Space) }

// wordRunes returns \w of the Rust library of regular expressions.
func wordRunes() runeSet {
	return mustCategory("L", "M", "Nd", "Nl", "Pc").Or(runesOf(unicode.Other_Alphabetic, unicode.Join_Control))
}

// onigWordRunes returns Oniguruma's \w: without the joiners, and with the fractions and
// superscripts of Latin-1.
func onigWordRunes() runeSet {
	joiners := runesOf(unicode.Join_Control)
	return wordRunes().And(joiners.Not()).Or(runeSet{0xb2, 0xb3, 0xb9, 0xb9, 0xbc, 0xbe})
}
