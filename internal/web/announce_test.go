package web

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	at := func(all ...string) (addrs []net.Addr) {
		for _, cidr := range all {
			ip, of, err := net.ParseCIDR(cidr)
			if err != nil {
				t.Fatal(err)
			}
			addrs = append(addrs, &net.IPNet{IP: ip, Mask: of.Mask})
		}
		return addrs
	}
	all := at("127.0.0.1/8", "::1/128", "fe80::1/64", "2001:db8::1/64", "10.1.2.3/16", "10.1.2.4/16")
	for _, test := range []struct {
		why  string
		m    machine
		want string
	}{
		{"a name that is known", machine{"node", true, all}, "node"},
		{"an unknown name", machine{"node", false, all}, "10.1.2.3"},
		{"without IPv4", machine{"node", false, all[:4]}, "2001:db8::1"},
		{"on no network", machine{"node", false, all[:3]}, "node"},
	} {
		if got := test.m.reachable(); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func TestAnnounce(t *testing.T) {
	t.Parallel()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	keys := filepath.Join(folder, "keys")
	file := filepath.Join(folder, "address")
	for _, path := range []string{keys, file} { // the latter as from an earlier process
		if err := os.WriteFile(path, []byte("s3cret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::1]"} {
		l, err := Listen(t.Context(), Settings{Host: host, KeyFile: keys, Announce: file})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Announce(t.Context()); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Error(err)
		}
		m, err := thisMachine(t.Context())
		if err != nil || m.name != name {
			t.Errorf("the machine is %+v, error %v", m, err)
		}
		want := host
		if host == "0.0.0.0" {
			want = m.reachable()
		}
		if string(text) != "http://"+want+":"+port+"\n" {
			t.Errorf("host %s: the file has %q", host, text)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o444 != 0o444 {
		t.Errorf("the file is %v, error %v: not everybody may read it", info, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("the folder has %v, error %v", entries, err)
	}
}

func TestAnnounceNeedsAFolder(t *testing.T) {
	t.Parallel()
	l, err := Listen(t.Context(), Settings{Announce: filepath.Join(t.TempDir(), "none", "address")})
	if err == nil || !strings.Contains(err.Error(), "announce: ") {
		t.Errorf("the listener is %v, error %v", l, err)
	}
}
