package documentdb_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/proof/standins/documentdb"
)

// startVariable makes the test binary start a server and wait, for the tests of several processes.
const startVariable = "DOCUMENTDB_TEST_START"

func TestMain(m *testing.M) {
	if os.Getenv(startVariable) == "" {
		os.Exit(m.Run())
	}
	server, err := documentdb.Start(context.Background(), "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.URI(), server.PostgreSQLURL())
	<-server.Ended()
}

// TestServersOfSeveralProcesses starts servers at once, each in a process of its own: each has data of its own. When
// the processes are killed, nothing of them goes on running.
func TestServersOfSeveralProcesses(t *testing.T) {
	const processes = 3
	var running []process
	for range processes {
		running = append(running, launch(t))
	}
	for i := range running {
		running[i].awaitStart(t)
		insert(t, running[i].uri, i)
	}
	for i, p := range running {
		if got := stored(t, p.uri); len(got) != 1 || got[0] != int32(i) {
			t.Errorf("server %d holds %v", i, got)
		}
	}
	for _, p := range running {
		if err := p.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range running {
		awaitRefusal(t, p.postgres)
	}
}

func TestKeptDataIsFoundAgain(t *testing.T) {
	config := documentdb.Config{Keep: fmt.Sprintf("test-%d", os.Getpid())}
	t.Cleanup(func() { forget(t, config) })
	for want := range 2 {
		server, err := config.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := stored(t, server.URI()); len(got) != want {
			t.Errorf("start %d finds %v", want, got)
		}
		insert(t, server.URI(), want)
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		awaitRefusal(t, server.PostgreSQLURL())
	}
}

// TestKeptDataIsForgottenAfterItsServer forgets data while a server has it: nothing is removed before that server has
// ended.
func TestKeptDataIsForgottenAfterItsServer(t *testing.T) {
	config := documentdb.Config{Keep: fmt.Sprintf("test-%d-forgotten", os.Getpid())}
	t.Cleanup(func() { forget(t, config) })
	server, err := config.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	insert(t, server.URI(), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := config.Forget(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the data of a server that runs: %v", err)
	}
	forgotten := make(chan error, 1)
	go func() { forgotten <- config.Forget(t.Context()) }()
	insert(t, server.URI(), 1) // every file is there still
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-forgotten; err != nil {
		t.Fatal(err)
	}
	if server, err = config.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, server.URI()); len(got) != 0 {
		t.Errorf("data that was forgotten holds %v", got)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{"", t.TempDir()} {
		if err := (documentdb.Config{Dir: dir, Keep: "test-of-nobody"}).Forget(t.Context()); err != nil {
			t.Errorf("data that nobody has kept: %v", err)
		}
	}
	if err := (documentdb.Config{}).Forget(t.Context()); err == nil {
		t.Error("the data of a server that keeps none is forgotten")
	}
}

// forget removes what a test has kept.
func forget(t *testing.T, config documentdb.Config) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := config.Forget(ctx); err != nil {
		t.Error(err)
	}
}

func TestErrorsNameTheCause(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for want, config := range map[string]documentdb.Config{
		"address already in use":      {Addr: listener.Addr().String()},
		`"../x" cannot name the data`: {Keep: "../x"},
	} {
		server, err := config.Start(t.Context())
		if err == nil {
			t.Errorf("%+v starts", config)
			_ = server.Close()
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", config, err)
		}
	}
}

// process is a process that runs a server.
type process struct {
	command       *exec.Cmd
	lines         *bufio.Reader
	said          *bytes.Buffer
	uri, postgres string
}

// launch starts a process that starts a server.
func launch(t *testing.T) process {
	t.Helper()
	p := process{command: exec.Command(os.Args[0]), said: new(bytes.Buffer)}
	p.command.Env = append(os.Environ(), startVariable+"=1")
	p.command.Stderr = p.said
	pipe, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewReader(pipe)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
	return p
}

// awaitStart returns when the server serves.
func (p *process) awaitStart(t *testing.T) {
	t.Helper()
	if _, err := fmt.Fscanln(p.lines, &p.uri, &p.postgres); err != nil {
		t.Fatalf("the server does not start: %v: %s", err, p.said)
	}
}

// awaitRefusal returns when nothing listens at an address.
func awaitRefusal(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", u.Host)
		if err != nil {
			return
		}
		_ = connection.Close()
		if time.Now().After(deadline) {
			t.Fatalf("%s still listens", u.Host)
		}
	}
}

func insert(t *testing.T, uri string, n int) {
	t.Helper()
	if _, err := numbers(t, uri).InsertOne(t.Context(), bson.D{{Key: "_id", Value: n}}); err != nil {
		t.Fatal(err)
	}
}

// stored returns the numbers that were inserted.
func stored(t *testing.T, uri string) []int32 {
	t.Helper()
	cursor, err := numbers(t, uri).Find(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var found []struct {
		N int32 `bson:"_id"`
	}
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	var all []int32
	for _, f := range found {
		all = append(all, f.N)
	}
	return all
}

func numbers(t *testing.T, uri string) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client.Database("test").Collection("numbers")
}
