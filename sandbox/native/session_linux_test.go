//go:build amd64 || arm64

package native

import (
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

func TestSandboxSessions(t *testing.T) {
	sandboxtest.Sessions(t, func(t *testing.T, dir string) sandbox.Opener {
		return openWith(t, Config{Dir: dir, Zygote: isolated})
	})
}
