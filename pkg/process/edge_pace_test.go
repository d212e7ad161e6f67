package process_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// slowed returns the line of the metric that counts connections which are read in turn.
func slowed(t *testing.T, journal *journal) string {
	t.Helper()
	_, metrics := get(t, journal.adminURL(t)+"/metrics")
	_, after, _ := strings.Cut(metrics, "\nexchange_connections_slowed_total ")
	count, _, _ := strings.Cut(after, "\n")
	return count
}

// TestWhoResetsRequestsOfHTTP2IsReadInTurn takes requests back in several ways.
func TestWhoResetsRequestsOfHTTP2IsReadInTurn(t *testing.T) {
	authority := certificatetest.NewAuthority(t)
	files := certificateFiles(t, authority, time.Now().Add(-time.Hour), time.Now().Add(1000*time.Hour))
	p, journal := open(t, func(s *process.Settings) { s.Security, s.MaxConnections = files, 100 })
	var began atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/quick", func(w http.ResponseWriter, _ *http.Request) {
		began.Add(1)
		_, _ = io.WriteString(w, "a response")
	})
	entered := make(chan struct{})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-r.Context().Done()
	})
	serving(t, p, mux)
	ask := func(client *http.Client) {
		t.Helper()
		response, err := client.Get(p.URL() + "/quick")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || string(text) != "a response" ||
			response.ProtoMajor != 2 {
			t.Fatalf("%s %q %v", response.Proto, text, err)
		}
	}
	calm := secureClient(t, authority, "calm", true)
	for range 50 {
		ask(calm)
	}
	if count := slowed(t, journal); count != "0" {
		t.Errorf("after 50 responses %s connections are slow", count)
	}

	// As somebody does who does not want to wait any longer.
	impatient := secureClient(t, authority, "impatient", true)
	giveUp := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+"/slow", nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() { <-entered; cancel() }()
		if response, err := impatient.Do(request); err == nil {
			response.Body.Close()
			t.Fatal("it has a response")
		}
	}
	// On a machine that is very busy a request may end by its own time before the process reads that it was taken back.
	gaveUp := 0
	for ; slowed(t, journal) == "0" && gaveUp < 50; gaveUp++ {
		giveUp()
	}
	if gaveUp < 17 {
		t.Errorf("a connection is slow after %d requests", gaveUp)
	}
	eventually(t, func() bool { return slowed(t, journal) == "1" })
	ask(impatient) // it goes on

	// As somebody does who wants no response: the handler has returned before it is known.
	hasty := dialHTTP2(t, authority, p.Address())
	began.Store(0)
	for range 500 {
		if err := hasty.takeBack(); err != nil {
			break // net/http bounds how many there are at a time
		}
	}
	eventually(t, func() bool { return slowed(t, journal) == "2" })
	ask(calm)
}

// hasty is a client of HTTP/2 that wants no responses.
type hasty struct {
	framer *http2.Framer
	block  []byte
	stream uint32
}

func dialHTTP2(t *testing.T, authority *certificatetest.Authority, address string) *hasty {
	t.Helper()
	text, key := authority.Issue("hasty")
	pair, err := tls.X509KeyPair([]byte(text), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(authority.PEM))
	conn, err := tls.Dial("tcp", address, &tls.Config{
		RootCAs: pool, Certificates: []tls.Certificate{pair}, NextProtos: []string{http2.NextProtoTLS},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() { _, _ = io.Copy(io.Discard, conn) }() // until it ends
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "GET"}, {":scheme", "https"}, {":authority", address}, {":path", "/quick"},
	} {
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			t.Fatal(err)
		}
	}
	h := &hasty{framer: http2.NewFramer(conn, nil), block: block.Bytes(), stream: 1}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := h.framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	return h
}

// takeBack sends a request and takes it back.
func (h *hasty) takeBack() error {
	stream := h.stream
	h.stream += 2
	if err := h.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: h.block, EndStream: true, EndHeaders: true,
	}); err != nil {
		return err
	}
	return h.framer.WriteRSTStream(stream, http2.ErrCodeCancel)
}
