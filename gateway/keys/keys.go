// Package keys makes the IDs of sessions and calls, and the keys of sessions.
package keys

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"net/http"
	"strings"
)

// keyPrefix begins the key of a session.
const keyPrefix = "qs_"

// encoding writes IDs and keys in letters and digits that survive every program.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding) //nolint:gochecknoglobals // a constant

// NewID returns an ID of so many random bytes.
func NewID(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return encoding.EncodeToString(b)
}

// Sizes of IDs, in random bytes.
const (
	SessionBytes = 16
	CallBytes    = 10 // an agent must not guess a call of another branch
)

// Of returns the key of a session. It follows from the secret of the server, so nothing
// is stored; a higher generation makes an earlier key void.
func Of(secret []byte, session string, generation uint32) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(session))
	mac.Write(binary.BigEndian.AppendUint32(nil, generation))
	return keyPrefix + session + encoding.EncodeToString(mac.Sum(nil)[:SessionBytes])
}

// idLen is the length of a session's ID.
var idLen = encoding.EncodedLen(SessionBytes) //nolint:gochecknoglobals // a constant

// SessionOf returns the session that a key names; the key may still be wrong.
func SessionOf(key string) (session string, is bool) {
	rest, is := strings.CutPrefix(key, keyPrefix)
	if !is || len(rest) < idLen {
		return "", false
	}
	return rest[:idLen], true
}

// Opens reports whether key is that of the session, in constant time.
func Opens(key string, secret []byte, session string, generation uint32) bool {
	return hmac.Equal([]byte(key), []byte(Of(secret, session, generation)))
}

// From returns the key that a client of OpenAI, Anthropic or Azure sends; empty: none.
func From(r *http.Request) string {
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key"} {
		if value := r.Header.Get(name); value != "" {
			if scheme, token, is := strings.Cut(value, " "); is && strings.EqualFold(scheme, "Bearer") {
				value = token
			}
			return strings.TrimSpace(value)
		}
	}
	return r.URL.Query().Get("key")
}

// Variables are those of agents and of the Python package that begin like a setting's. They
// are none: an agent may start this program.
func Variables() []string {
	return []string{"QUINTAIN_URL", "QUINTAIN_KEY", "QUINTAIN_PROBLEM", "QUINTAIN_RESULT"}
}
