#!/usr/bin/env bash
# Creates an authority and the certificates of the nodes and of an administrator in `deploy/certificates`, unless they
# exist. An organisation with an authority of its own puts files of the same names there instead.
#
#   deploy/certificates.sh [HOST...]
#
# HOST is a further name of the nodes; those of `compose.yaml` and of `kubernetes` are always included.
set -euo pipefail

folder=$(cd "$(dirname "$0")" && pwd)/certificates
days=825
[ ! -e "$folder/node.pem" ] || { echo "$folder has certificates already"; exit 0; }
umask 077
mkdir -p "$folder"
cd "$folder"

names="DNS:localhost, IP:127.0.0.1, DNS:opensearch, DNS:opensearch-1, DNS:opensearch-2, DNS:opensearch-3"
# The pods of the StatefulSet, by their headless service.
names+=", DNS:opensearch.lorehound, DNS:opensearch.lorehound.svc, DNS:*.opensearch-nodes"
names+=", DNS:*.opensearch-nodes.lorehound.svc, DNS:*.opensearch-nodes.lorehound.svc.cluster.local"
for host in "$@"; do names+=", DNS:$host"; done

cat > kinds.cnf <<KINDS
[req]
distinguished_name = subject
[subject]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[node]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = $names
[admin]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
KINDS

openssl req -x509 -newkey rsa:3072 -nodes -config kinds.cnf -extensions ca -days "$days" \
    -subj /O=lorehound/CN=authority -keyout ca.key -out ca.pem 2>/dev/null
for name in node admin; do
    openssl req -newkey rsa:3072 -nodes -config kinds.cnf -subj "/O=lorehound/CN=$name" \
        -keyout "$name.key" -out "$name.csr" 2>/dev/null
    openssl x509 -req -days "$days" -in "$name.csr" -out "$name.pem" -CA ca.pem -CAkey ca.key -CAcreateserial \
        -extfile kinds.cnf -extensions "$name" 2>/dev/null
done
rm -f kinds.cnf ./*.csr
chmod 644 ca.pem node.pem
# The image of OpenSearch runs as user 1000, which alone may read the key.
if ! chown 1000 node.key 2>/dev/null && [ "$(id -u)" -ne 1000 ]; then
    echo "run: sudo chown 1000 $folder/node.key   # the user of the image of OpenSearch"
fi
echo "created ca.pem, node.pem and admin.pem in $folder; keep ca.key and admin.key away from the servers"
