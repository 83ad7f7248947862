package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// A stage is a step of decoding. It takes each token in one or more pieces, and passes on
// its output as soon as that is certain. It is for one text.
type stage interface {
	// put takes a piece of a token; last marks the final one.
	put(text string, last bool)
	// end says that no tokens follow. The stage passes that on.
	end()
}

// A sink is the last stage: it collects the text.
type sink struct{ text []byte }

func (s *sink) put(text string, _ bool) { s.text = append(s.text, text...) }
func (s *sink) end()                    {}

// A decoder returns a stage that feeds another.
type decoder func(to stage) stage

// A wholeStage collects each token until it is complete.
type wholeStage struct {
	to    stage
	text  string
	index int                                          // of the token
	each  func(token string, index int) (string, bool) // its replacement, if any
}

func (s *wholeStage) put(text string, last bool) {
	if s.text += text; !last {
		return
	}
	if text, keep := s.each(s.text, s.index); keep {
		s.to.put(text, true)
	}
	s.text = ""
	s.index++
}

func (s *wholeStage) end() { s.to.end() }

// eachToken decodes token by token.
func eachToken(f func(token string, index int) (string, bool)) decoder {
	return func(to stage) stage { return &wholeStage{to: to, each: f} }
}

// A fuse joins all tokens into one.
type fuse struct{ to stage }

func (s *fuse) put(text string, _ bool) { s.to.put(text, false) }

func (s *fuse) end() {
	s.to.put("", true)
	s.to.end()
}

// A spaced puts a space between tokens; it is for tokenizers without a decoder.
type spaced struct {
	to    stage
	begun bool // a token has ended
	mid   bool // within a token
}

func (s *spaced) put(text string, last bool) {
	if s.begun && !s.mid {
		s.to.put(" ", false)
	}
	s.to.put(text, last)
	s.mid, s.begun = !last, s.begun || last
}

func (s *spaced) end() { s.to.end() }

// A byteLevelStage turns visible characters back into bytes, and the bytes of all tokens
// into text.
type byteLevelStage struct {
	to    stage
	token string
	bytes []byte
}

func (s *byteLevelStage) put(text string, last bool) {
	if s.token += text; !last {
		return
	}
	text, s.token = s.token, ""
	begin := len(s.bytes)
	for _, r := range text {
		b, ok := invisibleByte(r)
		if !ok {
			s.bytes = append(s.bytes[:begin], text...) // a token of another kind
			break
		}
		s.bytes = append(s.bytes, b)
	}
	s.flush(false)
}

func (s *byteLevelStage) end() {
	s.flush(true)
	s.to.put("", true)
	s.to.end()
}

// flush passes on complete characters, and at the end replacement characters for the rest.
func (s *byteLevelStage) flush(end bool) {
	done := len(s.bytes)
	if !end {
		done -= unfinished(s.bytes)
	}
	if done > 0 {
		s.to.put(lossy(s.bytes[:done]), false)
		s.bytes = append(s.bytes[:0], s.bytes[done:]...)
	}
}

// A byteFallbackStage turns runs of byte tokens into text. It holds a run until its end: an
// invalid one becomes replacement characters.
type byteFallbackStage struct {
	to    stage
	token string
	run   []byte
}

func (s *byteFallbackStage) put(text string, last bool) {
	if s.token += text; !last {
		return
	}
	text, s.token = s.token, ""
	if b, ok := parseByteToken(text); ok {
		s.run = append(s.run, b)
		return
	}
	s.flush()
	s.to.put(text, true)
}

func (s *byteFallbackStage) end() {
	s.flush()
	s.to.end()
}

// flush passes on the run.
func (s *byteFallbackStage) flush() {
	if len(s.run) > 0 && utf8.Valid(s.run) {
		s.to.put(string(s.run), true)
	} else {
		for range s.run {
			s.to.put("\ufffd", true)
		}
	}
	s.run = s.run[:0]
}

// parseByteToken returns the byte of a token such as <0x0A>.
func parseByteToken(token string) (b byte, ok bool) {
	if len(token) != 6 || !strings.HasPrefix(token, "<0x") || token[5] != '>' {
		return 0, false
	}
	high, low := hexDigit(token[3]), hexDigit(token[4])
	if token[3] == '+' { // the reference reads it as a sign
		high = 0
	}
	return byte(high<<4 | low), high >= 0 && low >= 0
}

// hexDigit returns the value of a hexadecimal digit; -1: none.
func hexDigit(c byte) int { return strings.IndexByte("0123456789abcdef", c|0x20) }

// A stripStage removes up to a number of a character from the start and the end of each
// token.
type stripStage struct {
	to          stage
	char        string
	start, stop int
	gone        int  // removed from the start of this token
	inside      bool // another character has come
	held        int  // characters possibly at the end
}

func (s *stripStage) put(text string, last bool) {
	for !s.inside && s.gone < s.start && strings.HasPrefix(text, s.char) {
		text = text[len(s.char):]
		s.gone++
	}
	if text != "" {
		s.inside = true
		rest := text
		ends := 0
		for strings.HasSuffix(rest, s.char) {
			rest = rest[:len(rest)-len(s.char)]
			ends++
		}
		if rest != "" {
			s.to.put(strings.Repeat(s.char, s.held)+rest, false)
			s.held = 0
		}
		s.held += ends
		if over := s.held - s.stop; over > 0 {
			s.to.put(strings.Repeat(s.char, over), false)
			s.held = s.stop
		}
	}
	if last {
		s.to.put("", true)
		s.gone, s.inside, s.held = 0, false, 0
	}
}

func (s *stripStage) end() { s.to.end() }

// A replaceStage replaces a text within each token.
type replaceStage struct {
	to       stage
	from, by string
	held     string // a possible start of the text to replace
}

func (s *replaceStage) put(text string, last bool) {
	text = s.held + text
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, s.from)
		if !found {
			break
		}
		b.WriteString(before)
		b.WriteString(s.by)
		text = after
	}
	s.held = ""
	if !last {
		keep := min(len(s.from)-1, len(text))
		for !strings.HasPrefix(s.from, text[len(text)-keep:]) {
			keep--
		}
		text, s.held = text[:len(text)-keep], text[len(text)-keep:]
	}
	b.WriteString(text)
	s.to.put(b.String(), last)
}

func (s *replaceStage) end() { s.to.end() }

// A suffixStage replaces the suffix of words by a space, except in the last token.
type suffixStage struct {
	to      stage
	suffix  string
	text    string
	pending bool // it holds a token
	token   string
}

func (s *suffixStage) put(text string, last bool) {
	if s.text += text; !last {
		return
	}
	s.pass(" ")
	s.token, s.text, s.pending = s.text, "", true
}

// pass passes on the held token.
func (s *suffixStage) pass(by string) {
	if s.pending {
		s.to.put(strings.ReplaceAll(s.token, s.suffix, by), true)
	}
	s.pending = false
}

func (s *suffixStage) end() {
	s.pass("")
	s.to.end()
}

// unspace removes the spaces that pre-tokenization put before punctuation and English
// contractions.
func unspace(token string) string {
	for _, pair := range [][2]string{
		{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"},
		{" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
	} {
		token = strings.ReplaceAll(token, pair[0], pair[1])
	}
	return token
}
