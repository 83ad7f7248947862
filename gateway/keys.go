package gateway

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

// newID returns an ID of so many random bytes.
func newID(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return encoding.EncodeToString(b)
}

// Sizes of IDs, in random bytes.
const (
	sessionBytes = 16
	callBytes    = 10 // an agent must not guess a call of another branch
)

// keyOf returns the key of a session. It follows from the secret of the server, so nothing
// is stored; a higher generation makes an earlier key void.
func keyOf(secret []byte, session string, generation uint32) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(session))
	mac.Write(binary.BigEndian.AppendUint32(nil, generation))
	return keyPrefix + session + encoding.EncodeToString(mac.Sum(nil)[:sessionBytes])
}

// idLen is the length of a session's ID.
var idLen = encoding.EncodedLen(sessionBytes) //nolint:gochecknoglobals // a constant

// sessionOfKey returns the session that a key names; the key may still be wrong.
func sessionOfKey(key string) (session string, ok bool) {
	rest, ok := strings.CutPrefix(key, keyPrefix)
	if !ok || len(rest) < idLen {
		return "", false
	}
	return rest[:idLen], true
}

// opensSession reports whether key is that of the session, in constant time.
func opensSession(key string, secret []byte, session string, generation uint32) bool {
	return hmac.Equal([]byte(key), []byte(keyOf(secret, session, generation)))
}

// keyFrom returns the key that a client of OpenAI, Anthropic or Azure sends; empty: none.
func keyFrom(r *http.Request) string {
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key"} {
		if value := r.Header.Get(name); value != "" {
			if scheme, token, ok := strings.Cut(value, " "); ok && strings.EqualFold(scheme, "Bearer") {
				value = token
			}
			return strings.TrimSpace(value)
		}
	}
	return r.URL.Query().Get("key")
}

// AgentVariables are those of agents and of the Python package that begin like a setting's. They
// are none: an agent may start this program.
func AgentVariables() []string {
	return []string{"QUINTAIN_URL", "QUINTAIN_KEY", "QUINTAIN_PROBLEM", "QUINTAIN_RESULT"}
}
