package chattemplate

// A tokenStream returns tokens in order. After the first error every token is the end, so that
// every reader of the stream stops too.
type tokenStream struct {
	tokens []token
	at     int
	fault  *Error
	depth  int // nested tags and brackets
}

// now returns the current token.
func (s *tokenStream) now() token {
	if s.fault != nil {
		return s.tokens[len(s.tokens)-1]
	}
	return s.tokens[s.at]
}

// ahead returns the token after the current one.
func (s *tokenStream) ahead() token {
	if s.fault != nil {
		return s.now()
	}
	return s.tokens[min(s.at+1, len(s.tokens)-1)]
}

// next returns the current token and advances.
func (s *tokenStream) next() token {
	t := s.now()
	if s.at < len(s.tokens)-1 {
		s.at++
	}
	return t
}

// fail sets the first error.
func (s *tokenStream) fail(at int, format string, args ...any) {
	if s.fault == nil {
		s.fault = faultf(at, format, args...)
	}
}

// unexpected fails at the current token.
func (s *tokenStream) unexpected(want string) {
	s.fail(s.now().at, "unexpected %s, want %s", s.now(), want)
}

// skip skips an operator if it comes next.
func (s *tokenStream) skip(op string) bool {
	found := s.now().is(opToken, op)
	if found {
		s.next()
	}
	return found
}

// skipName skips a keyword if it comes next.
func (s *tokenStream) skipName(name string) bool {
	found := s.now().is(nameToken, name)
	if found {
		s.next()
	}
	return found
}

// want skips an operator, or fails.
func (s *tokenStream) want(op string) {
	if !s.skip(op) {
		s.unexpected("'" + op + "'")
	}
}

// wantName returns a name, or fails.
func (s *tokenStream) wantName() string {
	if s.now().kind != nameToken {
		s.unexpected("a name")
		return ""
	}
	return s.next().text
}

// enter begins a level of nesting; leave ends it.
func (s *tokenStream) enter() {
	if s.depth++; s.depth > maxParse {
		s.fail(s.now().at, "tags or brackets nest more than %d deep", maxParse)
	}
}

func (s *tokenStream) leave() { s.depth-- }
