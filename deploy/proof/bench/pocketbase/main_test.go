package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestVehicles creates, reads and lists records as the bench does, and holds that none of it is possible without the
// token.
func TestVehicles(t *testing.T) {
	from, to := io.Pipe()
	go func() { _ = to.CloseWithError(serve(t.TempDir(), to)) }()
	line, err := bufio.NewReader(from).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var said listening
	if err := json.Unmarshal(line, &said); err != nil {
		t.Fatal(err)
	}
	if said.Journal != "wal" || said.Synchronous != 1 {
		t.Errorf("journal %q, synchronous %d: the bench says wal and 1", said.Journal, said.Synchronous)
	}
	records := said.URL + "/api/collections/vehicle/records"
	body := `{"plateNumber":"EX 1","physical":{"doors":5}}`
	var made struct {
		ID       string         `json:"id"`
		Physical map[string]int `json:"physical"`
	}
	call(t, http.MethodPost, records, body, said.Token, http.StatusOK, &made)
	var read = made
	call(t, http.MethodGet, records+"/"+made.ID, "", said.Token, http.StatusOK, &read)
	if read.Physical["doors"] != 5 {
		t.Errorf("read %+v, want what was created", read)
	}
	var page struct {
		Items []struct{ ID string } `json:"items"`
	}
	call(t, http.MethodGet, records+"?perPage=50&skipTotal=true", "", said.Token, http.StatusOK, &page)
	if len(page.Items) != 1 || page.Items[0].ID != made.ID {
		t.Errorf("listed %+v, want the one that was created", page)
	}
	call(t, http.MethodPost, records, body, "", http.StatusBadRequest, nil)
	call(t, http.MethodGet, records+"/"+made.ID, "", "", http.StatusNotFound, nil)
}

// call sends a request and reads the response, which must have a status.
func call(t *testing.T, method, url, body, token string, status int, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %s (%v)", method, url, response.StatusCode, status, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
}
