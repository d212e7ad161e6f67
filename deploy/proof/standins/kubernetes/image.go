package kubernetes

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
)

// writeImage writes an archive with an image of one static program, as `docker save` does.
func writeImage(archive, name, program string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var layer bytes.Buffer
	if err := writeFiles(&layer, file{"program", 0o755, content}); err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/program"}, "User": "65535:65535"},
		"rootfs": map[string]any{
			"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer.Bytes()))},
		},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": []string{name},
		"Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	var image bytes.Buffer
	err = writeFiles(&image, file{"config.json", 0o644, config}, file{"layer.tar", 0o644, layer.Bytes()},
		file{"manifest.json", 0o644, manifest})
	return errors.Join(err, os.WriteFile(archive, image.Bytes(), 0o600))
}

type file struct {
	name    string
	mode    int64
	content []byte
}

// writeFiles writes an archive of files.
func writeFiles(to *bytes.Buffer, files ...file) error {
	archive := tar.NewWriter(to)
	for _, f := range files {
		if err := archive.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode,
			Size: int64(len(f.content))}); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}
