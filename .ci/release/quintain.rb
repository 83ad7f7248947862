class Quintain < Formula
  desc "Problems, episodes, grades and a durable queue for RL of language models"
  homepage "https://github.com/quintain-rl/quintain"
  version "VERSION"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/quintain-rl/quintain/releases/download/vVERSION/quintain_VERSION_darwin_arm64.tar.gz"
      sha256 "SHA256 of quintain_VERSION_darwin_arm64.tar.gz"
    end
    on_intel do
      url "https://github.com/quintain-rl/quintain/releases/download/vVERSION/quintain_VERSION_darwin_amd64.tar.gz"
      sha256 "SHA256 of quintain_VERSION_darwin_amd64.tar.gz"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/quintain-rl/quintain/releases/download/vVERSION/quintain_VERSION_linux_arm64.tar.gz"
      sha256 "SHA256 of quintain_VERSION_linux_arm64.tar.gz"
    end
    on_intel do
      url "https://github.com/quintain-rl/quintain/releases/download/vVERSION/quintain_VERSION_linux_amd64.tar.gz"
      sha256 "SHA256 of quintain_VERSION_linux_amd64.tar.gz"
    end
  end

  def install
    bin.install "quintain"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/quintain.bash" => "quintain"
    zsh_completion.install "completions/_quintain"
    fish_completion.install "completions/quintain.fish"
  end

  test do
    assert_match "v#{version}", shell_output("#{bin}/quintain --version")
    system bin/"quintain", "run", "--steps", "3", "--port", "0"
  end
end
