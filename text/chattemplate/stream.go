package chattemplate

// A tokenStream hands out tokens, one after the other. After the first error every token is
// the end, so that all who read the stream come to an end too.
type tokenStream struct {
	tokens []token
	at     int
	fault  *Error
	depth  int // of tags and brackets within each other
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

// next returns the current token and goes on to the one after it.
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

// skip goes past an operator if it is here.
func (s *tokenStream) skip(op string) bool {
	found := s.now().is(opToken, op)
	if found {
		s.next()
	}
	return found
}

// skipName goes past a keyword if it is here.
func (s *tokenStream) skipName(name string) bool {
	found := s.now().is(nameToken, name)
	if found {
		s.next()
	}
	return found
}

// want goes past an operator, which must be here.
func (s *tokenStream) want(op string) {
	if !s.skip(op) {
		s.unexpected("'" + op + "'")
	}
}

// wantName returns a name, which must be here.
func (s *tokenStream) wantName() string {
	if s.now().kind != nameToken {
		s.unexpected("a name")
		return ""
	}
	return s.next().text
}

// enter counts a level of nesting; leave takes it back.
func (s *tokenStream) enter() {
	if s.depth++; s.depth > maxParse {
		s.fail(s.now().at, "tags or brackets stand within each other more than %d deep", maxParse)
	}
}

func (s *tokenStream) leave() { s.depth-- }
