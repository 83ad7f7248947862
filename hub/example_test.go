package hub_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
)

func Example() {
	q, err := queue.Open(context.Background(), queue.NewMemory(), queue.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server, err := hub.New(hub.Config{Queue: q})
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Run(ctx, l) }()

	reply, err := http.Post("http://"+l.Addr().String()+"/scored_data", "application/json",
		strings.NewReader(`{"tokens":[[5,6],[5,7]],"masks":[[-100,6],[-100,7]],"scores":[1,0]}`))
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		log.Fatal(err)
	}
	reply.Body.Close()
	fmt.Println(string(text), server.Stats().Queue.Waiting.Sequences, "sequences wait")

	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	if err := q.Close(); err != nil {
		log.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	// Output: {"status":"received"} 2 sequences wait
}
