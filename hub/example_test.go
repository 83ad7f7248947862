package hub_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// A hub over a queue in memory. A trainer registers, an environment posts a group, and the
// trainer takes it as a batch.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server, err := hub.New(hub.Config{Queue: q})
	if err != nil {
		log.Fatal(err)
	}
	l, err := web.Listen(ctx, web.Settings{}) // any free port of this machine
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- server.Run(ctx, l) }()

	url := "http://" + l.Addr().String()
	post(url+"/register", `{"wandb_group":"g","wandb_project":"p","batch_size":2,"max_token_len":64,
		"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":10}`)
	fmt.Println(post(url+"/scored_data", `{"tokens":[[5,6],[5,7]],"masks":[[-100,6],[-100,7]],"scores":[1,0]}`))
	reply, err := http.Get(url + "/batch")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.60s…\n", read(reply))
	fmt.Println("step", server.Default().Step())

	stop()
	fmt.Println(<-ended, q.Close())
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// {"status":"received"}
	// {"batch":[{"tokens":[[5,6],[5,7]],"masks":[[-100,6],[-100,7]…
	// step 1
	// <nil> <nil>
}

// post sends JSON and returns the reply.
func post(url, body string) string {
	reply, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	return read(reply)
}

// read returns the body of a reply.
func read(reply *http.Response) string {
	text, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}
