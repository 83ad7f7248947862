package server

import "fmt"

// mismatchAfter is the number of reports in a row, one a second, that make a [mismatch]: a
// trainer loads weights into several servers one after the other.
const mismatchAfter = 5

// A mismatch notices that a server goes on to report an older version than the trainer told.
type mismatch struct {
	says, told int32
	row        int
}

// note takes the version that the server says, below 0 if none is known, and the one that the
// trainer told. It reports whether there has been a mismatch for just long enough to tell.
func (m *mismatch) note(says, told int32) (tell bool) {
	if says != m.says || says < 0 || says >= told {
		m.row = 0
	}
	m.says, m.told = says, told
	if says >= 0 && says < told {
		m.row++
	}
	return m.row == mismatchAfter
}

// String says what does not match; empty: all does, or has for a moment.
func (m *mismatch) String() string {
	if m.row < mismatchAfter {
		return ""
	}
	return fmt.Sprintf("the trainer told version %d, and the server says that its weights are of version %d", m.told, m.says)
}
