package tokenizer

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A charsmap is SentencePiece's normalization table: it maps characters, and some pairs of
// them, to texts. It is a double array in the format of the library darts-clone.
type charsmap struct {
	units []uint32
	texts string // each ends with a zero
}

var _ normalizer = (*charsmap)(nil)

// parseCharsmap parses the binary form: the length of the array, the array, the texts.
func parseCharsmap(raw []byte) (*charsmap, error) {
	if len(raw) < 4 {
		return nil, errors.New("the charsmap is cut short")
	}
	size := int64(binary.LittleEndian.Uint32(raw))
	if raw = raw[4:]; size > int64(len(raw)) || size%4 != 0 || size == 0 {
		return nil, errors.New("the charsmap is cut short")
	}
	m := &charsmap{units: make([]uint32, size/4), texts: string(raw[size:])}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	if !utf8.ValidString(m.texts) {
		return nil, errors.New("the charsmap holds invalid UTF-8")
	}
	return m, nil
}

// maxMapped is one more than the greatest length of a mapped pair, in bytes.
const maxMapped = 6

func (m *charsmap) normalize(x piece) (piece, error) {
	var b strings.Builder
	for rest := x.text; rest != ""; {
		cluster := rest[:clusterLength(rest)]
		rest = rest[len(cluster):]
		if len(cluster) < maxMapped {
			if to, mapped := m.lookup(cluster); mapped {
				b.WriteString(to)
				continue
			}
		}
		for i, r := range cluster {
			char := cluster[i : i+utf8.RuneLen(r)]
			if to, mapped := m.lookup(char); mapped {
				char = to
			}
			b.WriteString(char)
		}
	}
	return piece{b.String(), x.first}, nil
}

// lookup returns the replacement of the shortest mapped prefix of a text.
func (m *charsmap) lookup(text string) (to string, mapped bool) {
	at := offset(m.units[0])
	for i := range len(text) {
		at ^= uint32(text[i])
		if at >= uint32(len(m.units)) || text[i] == 0 {
			return "", false
		}
		unit := m.units[at]
		if unit&(1<<31|0xff) != uint32(text[i]) {
			return "", false
		}
		at ^= offset(unit)
		if unit>>8&1 == 1 && at < uint32(len(m.units)) {
			return m.text(m.units[at] &^ (1 << 31))
		}
	}
	return "", false
}

// offset returns the offset to the units of the next byte.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// text returns the text at an index.
func (m *charsmap) text(at uint32) (text string, valid bool) {
	if int64(at) >= int64(len(m.texts)) || !utf8.RuneStart(m.texts[at]) {
		return "", false
	}
	text, _, _ = strings.Cut(m.texts[at:], "\x00")
	return text, true
}

// clusterLength returns the length of the first grapheme cluster of text, in bytes. It may
// cut clusters of more than maxMapped bytes, since the charsmap maps those by character.
func clusterLength(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	r, length := utf8.DecodeRuneInString(text)
	for prepended := joinsNext(r); length < len(text) && !breaks(r); {
		next, width := utf8.DecodeRuneInString(text[length:])
		if !joinsPrevious(next) && (!prepended || breaks(next)) {
			break
		}
		prepended = prepended && joinsNext(next)
		length += width
		r = next
	}
	return length
}

// breaks reports whether a cluster ends before and after r: a control character.
func breaks(r rune) bool {
	if r == 0x200c || r == 0x200d || joinsNext(r) {
		return false
	}
	if unicode15.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
		return !(r >= 0xe0020 && r <= 0xe007f)
	}
	return unicode15.In(r, unicode.Other_Default_Ignorable_Code_Point) && !joinsPrevious(r) && !unicode15.IsLetter(r)
}

// joinsPrevious reports whether r continues the cluster before it.
func joinsPrevious(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x200c, r == 0x200d, r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xe0020 && r <= 0xe007f, r == 0xe33, r == 0xeb3:
		return true
	case unicode15.In(r, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend):
		return true
	}
	return unicode15.In(r, unicode.Mc) && !looseMarks.Has(r)
}

// looseMarks holds spacing marks that begin a cluster.
var looseMarks = runeSet{
	0x102b, 0x102c, 0x1038, 0x1038, 0x1062, 0x1064, 0x1067, 0x106d, 0x1083, 0x1083, 0x1087, 0x108c, 0x108f, 0x108f,
	0x109a, 0x109c, 0x1a61, 0x1a61, 0x1a63, 0x1a64, 0xaa7b, 0xaa7b, 0xaa7d, 0xaa7d, 0x11720, 0x11721,
}

// joinsNext reports whether the cluster of r continues after it.
func joinsNext(r rune) bool {
	return r >= 0x600 && (unicode15.In(r, unicode.Prepended_Concatenation_Mark) || prefixes.Has(r))
}

// prefixes holds consonants written before the next letter.
var prefixes = runeSet{
	0xd4e, 0xd4e, 0x111c2, 0x111c3, 0x1193f, 0x1193f, 0x11941, 0x11941, 0x11a3a, 0x11a3a, 0x11a84, 0x11a89,
	0x11d46, 0x11d46, 0x11f02, 0x11f02,
}
