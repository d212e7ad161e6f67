package documentdb_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/standins/documentdb"
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

// TestServersOfSeveralProcesses starts servers at once, each in a process of its own: each has data of its own. When the
// processes are killed, nothing of them goes on running.
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
	t.Cleanup(func() { forget(t, config.Keep) })
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

// forget removes the data that is kept under a name in the user's cache.
func forget(t *testing.T, name string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(cache, "insurance-exchange/documentdb/*/data/kept-"+name+"*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("the kept data is not found: %v", err)
	}
	for _, path := range kept {
		if err := os.RemoveAll(path); err != nil {
			t.Error(err)
		}
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
