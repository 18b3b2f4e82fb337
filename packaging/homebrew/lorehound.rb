# A template: `packaging/manifests.py` fills in the words between `@`.
class Lorehound < Formula
  desc "Local search engine for everything a repository knows"
  homepage "@repository@"
  version "@version@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@url aarch64-apple-darwin@"
      sha256 "@sha256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@url x86_64-apple-darwin@"
      sha256 "@sha256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@url aarch64-unknown-linux-musl@"
      sha256 "@sha256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@url x86_64-unknown-linux-musl@"
      sha256 "@sha256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "lore"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/lore.bash" => "lore"
    zsh_completion.install "completions/_lore"
    fish_completion.install "completions/lore.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/lore --version")
    (testpath/"refund.py").write "def retry_refund(payment):\n    return send(payment)\n"
    ENV["LOREHOUND_CACHE_DIR"] = testpath/"cache"
    answer = shell_output("#{bin}/lore 'how is a refund retried?' --format paths")
    assert_equal "refund.py", answer.lines.first.chomp
  end
end
