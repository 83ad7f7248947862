//go:build heavy && (amd64 || arm64)

package native

import (
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

// The sandbox holds the same with the oldest landlock of the floor.
func TestSandboxOnAnOlderKernel(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox { return openWith(t, Config{Dir: dir, abi: leastABI}) })
}

// So do the forks of a zygote.
func TestSandboxOfZygoteOnAnOlderKernel(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox {
		return launched{openWith(t, Config{Dir: dir, Zygote: here(isolated), abi: leastABI})}
	})
}

// They do so on a machine that has no namespaces for users.
func TestSandboxOfZygoteWithoutNamespaces(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox {
		b := openWith(t, Config{Dir: dir})
		for i, one := range b.strength.Layers {
			if one.Name == LayerUserSpace || one.Name == LayerPIDSpace {
				b.strength.Layers[i].Holds = false
			}
		}
		b.config.Zygote = here(isolated)
		if err := b.startZygotes(); err != nil {
			t.Fatal(err)
		}
		return launched{b}
	})
}

// The forks of a zygote hold what a sandbox promises.
func TestSandboxOfZygote(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox {
		return launched{openWith(t, Config{Dir: dir, Zygote: here(isolated)})}
	})
}

// A program that stays our user is held as any other.
func TestSandboxOfOurOwnUser(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox { return openWith(t, Config{Dir: dir, Own: true}) })
}
