package problems

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The opcodes of the pickle of one str.
const (
	opProto       = 0x80
	opFrame       = 0x95
	opUnicode     = 'V' // protocol 0: raw-unicode-escape up to a line end
	opBinUnicode  = 'X' // length in four bytes
	opShort       = 0x8c
	opBinUnicode8 = 0x8d
	opPut         = 'p' // protocol 0: memo 0
	opBinPut      = 'q' // protocols 1 to 3: memo 0
	opMemoize     = 0x94
	opStop        = '.'
)

// unpickled reads the pickle of one str, as pickle.dumps of Python writes it under the protocols 0
// to 5. Every other pickle is an error: nothing of a pickle is ever executed.
func unpickled(pickle []byte) (string, error) {
	p := &unpickler{rest: pickle, size: len(pickle)}
	text, err := p.text()
	if err != nil {
		return "", fmt.Errorf("byte %d of the pickle: %w", p.size-len(p.rest), err)
	}
	return text, nil
}

// An unpickler reads a pickle from its start.
type unpickler struct {
	rest     []byte
	size     int
	protocol byte
}

var errCut = errors.New("it ends early")

func (p *unpickler) text() (text string, err error) {
	if err := p.head(); err != nil {
		return "", err
	}
	if p.protocol == 0 {
		text, err = p.line()
	} else {
		text, err = p.counted()
	}
	if err != nil {
		return "", err
	}
	end := []string{"p0\n.", "q\x00.", "q\x00.", "q\x00.", "\x94.", "\x94."}[p.protocol]
	if string(p.rest) != end {
		return "", fmt.Errorf("%.8q follows the text: want the pickle of one text, and nothing else", p.rest)
	}
	return text, nil
}

// head finds the protocol, and skips what stands before the text.
func (p *unpickler) head() error {
	if len(p.rest) < 2 {
		return errCut
	}
	if p.rest[0] != opProto {
		if p.rest[0] == opBinUnicode {
			p.protocol = 1
		}
		return nil
	}
	if p.protocol = p.rest[1]; p.protocol < 2 || p.protocol > 5 {
		return fmt.Errorf("protocol %d: want 0 to 5", p.protocol)
	}
	p.rest = p.rest[2:]
	if p.protocol < 4 || len(p.rest) < 9 || p.rest[0] != opFrame {
		return nil
	}
	if size := binary.LittleEndian.Uint64(p.rest[1:]); size != uint64(len(p.rest)-9) {
		return fmt.Errorf("a frame of %d bytes, where %d are left", size, len(p.rest)-9)
	}
	p.rest = p.rest[9:]
	return nil
}

// counted reads a text after its length.
func (p *unpickler) counted() (string, error) {
	if len(p.rest) == 0 {
		return "", errCut
	}
	op := p.rest[0]
	var width int
	switch {
	case op == opBinUnicode:
		width = 4
	case op == opShort && p.protocol >= 4:
		width = 1
	case op == opBinUnicode8 && p.protocol >= 4:
		width = 8
	default:
		return "", fmt.Errorf("opcode %q: want the pickle of one text; other pickles are not read, since they can run code", op)
	}
	if len(p.rest) < 1+width {
		return "", errCut
	}
	var length [8]byte
	copy(length[:], p.rest[1:1+width])
	n := binary.LittleEndian.Uint64(length[:])
	if n > uint64(len(p.rest)-1-width) {
		return "", errCut
	}
	text := p.rest[1+width:][:n]
	if !utf8.Valid(text) {
		return "", errors.New("the text is not UTF-8")
	}
	p.rest = p.rest[1+width+len(text):]
	return string(text), nil
}

// line reads a text of protocol 0.
func (p *unpickler) line() (string, error) {
	if p.rest[0] != opUnicode {
		return "", fmt.Errorf("opcode %q: want the pickle of one text; other pickles are not read, since they can run code", p.rest[0])
	}
	line, rest, found := strings.Cut(string(p.rest[1:]), "\n")
	if !found {
		return "", errCut
	}
	text, err := rawUnicodeEscape(line)
	p.rest = p.rest[len(p.rest)-len(rest):]
	return text, err
}

// rawUnicodeEscape decodes Python's encoding of that name: Latin-1 with \u and \U.
func rawUnicodeEscape(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		digits := 0
		if text[i] == '\\' && i+1 < len(text) {
			digits = map[byte]int{'u': 4, 'U': 8}[text[i+1]]
		}
		if digits == 0 {
			b.WriteRune(rune(text[i]))
			if text[i] == '\\' && i+1 < len(text) { // it takes the next one along, a backslash too
				i++
				b.WriteRune(rune(text[i]))
			}
			continue
		}
		r, err := char(text[i+2:], digits)
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
		i += 1 + digits
	}
	return b.String(), nil
}

// char returns the character whose code text begins with, in hexadecimal digits.
func char(text string, digits int) (rune, error) {
	code, err := strconv.ParseUint(text[:min(digits, len(text))], 16, 32)
	if err != nil || len(text) < digits {
		return 0, fmt.Errorf("the escape %.10q has no %d hexadecimal digits", text, digits)
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return 0, fmt.Errorf("%x is no character", code)
	}
	return rune(code), nil
}
