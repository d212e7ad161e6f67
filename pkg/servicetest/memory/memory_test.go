package memory_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/servicetest/memory"
)

// pair returns both ends of a connection.
func pair(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	var network memory.Network
	l, err := network.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if ours, err = network.DialFrom(t.Context(), "127.0.0.2", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if theirs, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	if from := theirs.RemoteAddr().String(); !strings.HasPrefix(from, "127.0.0.2:") {
		t.Errorf("it is from %s", from)
	}
	return ours, theirs
}

// TestConnectionsHoldSomeBytes writes more than a connection holds, to an end that is read later, and to its end.
func TestConnectionsHoldSomeBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		sent := strings.Repeat("x", 1<<20)
		began := time.Now()
		go func() {
			_, err := io.WriteString(ours, sent)
			if err != nil || time.Since(began) != time.Second {
				t.Errorf("written after %v, error %v", time.Since(began), err)
			}
			_ = ours.Close()
		}()
		time.Sleep(time.Second)
		if got, err := io.ReadAll(theirs); err != nil || string(got) != sent {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
		if _, err := io.WriteString(theirs, "x"); err == nil {
			t.Error("who has closed the connection is written to")
		}
	})
}

// TestDeadlinesEndReadsAndWrites has both wait until their deadlines, and one for a deadline that is moved.
func TestDeadlinesEndReadsAndWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, _ := pair(t)
		for name, use := range map[string]func() error{
			"read":  func() error { _, err := ours.Read(make([]byte, 1)); return err },
			"write": func() error { _, err := ours.Write(make([]byte, 1<<20)); return err },
		} {
			began := time.Now()
			_ = ours.SetDeadline(began.Add(time.Hour))
			time.AfterFunc(time.Second, func() { _ = ours.SetDeadline(began.Add(time.Minute)) })
			if err := use(); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Minute {
				t.Errorf("%s: error %v after %v", name, err, time.Since(began))
			}
			time.Sleep(time.Second)
		}
	})
}

// TestServersOfHTTPListenInMemory asks a server, and asks again once it is gone.
func TestServersOfHTTPListenInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network memory.Network
		l, err := network.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := network.Listen(l.Addr().String()); err == nil {
			t.Error("two listen on one address")
		}
		server := &http.Server{Handler: http.NotFoundHandler()}
		go func() { _ = server.Serve(l) }()
		client := &http.Client{Transport: &http.Transport{DialContext: network.Dial}}
		for range 2 {
			response, err := client.Get("http://" + l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusNotFound {
				t.Errorf("status %d, error %v", response.StatusCode, err)
			}
			response.Body.Close()
		}
		_ = server.Close()
		synctest.Wait()
		if response, err := client.Get("http://" + l.Addr().String()); err == nil {
			response.Body.Close()
			t.Error("a server that is closed responds")
		}
	})
}
