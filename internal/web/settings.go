package web

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/settings"
)

// Settings are what people may set of a server.
type Settings struct {
	Host    string // to listen on
	Port    int    // 0: any that is free
	KeyFile string // see [ReadKeys]; empty: no key is asked for

	MaxConnections int           // at once
	MaxBody        int64         // bytes of a request as it comes
	MaxInflated    int64         // bytes of a request after gzip
	Memory         int64         // bytes that requests under way may take together; 0: a quarter of the machine's memory
	Stall          time.Duration // how long a connection may move no byte in the middle of a request
	Drain          time.Duration // for requests under way when the server is stopped
	Origins        []string      // of web pages that may call, "https://example.org"; "*": any; none: CORS is off
	AccessLog      bool          // log every request at level info; otherwise at debug
}

// Default returns the settings that hold unless something else is said.
func Default() Settings {
	return Settings{
		Host: "127.0.0.1", Port: 8000,
		MaxConnections: 8192, MaxBody: 256 << 20, MaxInflated: 512 << 20, Stall: time.Minute, Drain: 5 * time.Second,
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Host, "host", "address to listen on; other machines can reach the server only with a key file").Given("an address")
	d.Int(&s.Port, "port", "port to listen on; 0 takes any free one").Between(0, 65535)
	d.Text(&s.KeyFile, "key_file", "file of the keys of which a request must bring one, a line each: KEY, which may do everything, or ROLE KEY")
	d.Int(&s.MaxConnections, "max_connections", "connections at once").AtLeast(1)
	d.Int64(&s.MaxBody, "max_body", "bytes of a request").AtLeast(1)
	d.Int64(&s.MaxInflated, "max_inflated", "bytes of a request after gzip; a request may inflate to 16 MiB, and if its gzip is one member to 256 times its size more").Between(1, math.MaxUint32)
	d.Int64(&s.Memory, "memory", "bytes that requests under way may take together, beyond which they are put off with status 503; 0: a quarter of the machine's memory").AtLeast(0)
	d.Duration(&s.Stall, "stall", "how long a connection may stand still in the middle of a request").Above(0)
	d.Duration(&s.Drain, "drain", "how long requests under way may take when the server is stopped").Above(0)
	d.Texts(&s.Origins, "origins", "origins of web pages that may call, such as https://example.org; * for any. Their hosts are also names of the server")
	d.Bool(&s.AccessLog, "access_log", "log every request")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.KeyFile == "" && !loopback(bare(s.Host)) {
		return fmt.Errorf("host: %s is not loopback: name a file with a key by --key-file, or listen on 127.0.0.1", s.Host)
	}
	for _, origin := range s.Origins {
		if origin != "*" && !strings.Contains(origin, "://") {
			return fmt.Errorf("origins: is %s, want * or https://HOST", origin)
		}
	}
	return nil
}

// withDefaults returns s with its zeros filled in, except for the port.
func (s Settings) withDefaults() Settings {
	d := Default()
	s.Host = bare(cmp.Or(s.Host, d.Host))
	s.MaxConnections = cmp.Or(s.MaxConnections, d.MaxConnections)
	s.MaxBody = cmp.Or(s.MaxBody, d.MaxBody)
	s.MaxInflated = cmp.Or(s.MaxInflated, d.MaxInflated)
	if s.Memory == 0 {
		s.Memory = defaultMemory()
	}
	s.Stall = cmp.Or(s.Stall, d.Stall)
	s.Drain = cmp.Or(s.Drain, d.Drain)
	return s
}
