# Homebrew's formula; npm run package fills in version, addresses and checksums.
class Mcpdeck < Formula
  desc "Terminal dashboard for a hosted service that operates MCP servers"
  version "{version}"
  license "MIT"

  on_macos do
    on_arm do
      url "{url}/mcpdeck-{version}-darwin-arm64.tar.gz"
      sha256 "{darwin-arm64}"
    end
  end

  on_linux do
    on_intel do
      url "{url}/mcpdeck-{version}-linux-x64.tar.gz"
      sha256 "{linux-x64}"
    end
    on_arm do
      url "{url}/mcpdeck-{version}-linux-arm64.tar.gz"
      sha256 "{linux-arm64}"
    end
  end

  def install
    bin.install "mcpdeck"
    # Node's signature ends where the program is put into it, and macOS starts nothing unsigned.
    system "codesign", "--force", "--sign", "-", bin/"mcpdeck" if OS.mac?
    man1.install "mcpdeck.1"
    bash_completion.install "mcpdeck.bash" => "mcpdeck"
    zsh_completion.install "_mcpdeck"
    fish_completion.install "mcpdeck.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mcpdeck --version")
  end
end
