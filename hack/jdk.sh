#!/usr/bin/env bash
# Prints the home of a JDK 25. The formatter runs inside Maven's own JVM, so the Makefile starts Maven on it.
set -euo pipefail
is_25() { [ -x "$1/bin/javac" ] && grep -qE '^JAVA_VERSION="25[."]' "$1/release" 2>/dev/null; }
for home in "${JAVA_HOME:-}" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
  /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/java/* /opt/jdk*; do
  if [ -n "$home" ] && is_25 "$home"; then echo "$home"; exit 0; fi
done
echo "JDK 25 was not found: install one (for example temurin-25-jdk) or point JAVA_HOME at it" >&2
exit 1
