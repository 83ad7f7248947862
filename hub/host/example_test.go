package host_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/web"
)

// A hub over a folder, on a free port.
func Example() {
	folder, err := os.MkdirTemp("", "host")
	if err != nil {
		log.Fatal(err)
	}
	server := web.Default()
	server.Port = 0
	h, err := host.Open(context.Background(), host.Config{
		Data: folder, Program: "example", Server: server, Hub: hub.Default(), Store: host.DefaultStore(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Queue().Stats().Waiting.Groups, "groups wait")
	fmt.Println(h.Close(), os.RemoveAll(folder))
	// Output:
	// 0 groups wait
	// <nil> <nil>
}
